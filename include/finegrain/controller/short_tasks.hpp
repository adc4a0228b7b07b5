// Whether the tasks spawned at one place in the source are too short to be shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/controller/short_calls.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// As short_calls.hpp, but of the mean of the times, in which the last eight or so have most weight:
/// one long time is no proof, because of empty tasks one in a thousand takes microseconds, when the
/// thread is interrupted. It need not be, since short tasks are reserved, not kept
/// (queue/private_deque.hpp). Long ones that others took after the reservation are not timed, but
/// reported.
///
/// Used by one thread. Constant time.
class short_tasks {
 public:
  [[nodiscard]] bool are_short() const noexcept { return calls_.all_short(); }

  /// Counts a task. Whether it should be timed: one of 16, and one of 4 while they are not short, as
  /// thieves take most of these.
  [[nodiscard]] bool is_due() noexcept {
    return calls_.is_due() || (!are_short() && ++count_ % 4 == 0);
  }

  /// Requires: `worth_a_steal` > 0.
  void timed(std::uint64_t ticks, std::uint64_t worth_a_steal) noexcept {
    const double length = static_cast<double>(ticks) / static_cast<double>(worth_a_steal);
    mean_ += (std::min(length, kLongest) - mean_) / 8;
    calls_.timed(mean_ < 1);
  }

  /// Some that were reserved were long.
  void were_long() noexcept { calls_.timed(false); }

 private:
  // So that one time alone does not end it: 5/8 more than a mean of 3/8. With 16 or more, flat groups
  // of 10,000 tasks of 6 ns were reserved half of the time only.
  static constexpr double kLongest = 5;

  std::uint32_t count_ = 0;
  double mean_ = 1;  // of the times by what is worth a steal
  short_calls calls_;
};

/// Whether that is to be found out for tasks with closures of this type. Not where a task takes as
/// much work as it finds: whether one was short says nothing about the next.
template <class F>
inline constexpr bool kMayBeShort = true;

/// Those at the place that this type of closure belongs to, on the calling thread.
template <class F>
short_tasks& short_tasks_of() noexcept {
  constinit static thread_local short_tasks tasks;
  return tasks;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
