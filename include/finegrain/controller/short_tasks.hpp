// Whether the tasks spawned at one place in the source are too short to be shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/controller/random_sample.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Some tasks are timed (random_sample.hpp). All count as short while the mean of their times, in
/// which the last eight or so have most weight, is below the time that is worth a steal. One long
/// time is no proof of the opposite: of empty tasks one in a thousand takes microseconds, because the
/// thread was interrupted. It need not be, since short tasks are reserved, not kept
/// (queue/private_deque.hpp).
///
/// Long tasks that others take after the reservation are not timed. If they report some, the next row
/// of short times has to be twice as long as the last one, up to 1024: a place may have few long
/// tasks, which still are most of the work.
///
/// Used by one thread. Constant time.
class short_tasks {
 public:
  [[nodiscard]] bool are_short() const noexcept { return in_a_row_ >= needed_; }

  /// Counts a task. Whether it should be timed.
  [[nodiscard]] bool is_due() noexcept { return sample_.is_due(); }

  /// Requires: `worth_a_steal` > 0.
  void timed(std::uint64_t ticks, std::uint64_t worth_a_steal) noexcept {
    const double length = static_cast<double>(ticks) / static_cast<double>(worth_a_steal);
    mean_ += (std::min(length, kLongest) - mean_) * kWeight;
    in_a_row_ = mean_ < 1 ? std::min(in_a_row_ + 1, needed_) : 0;
  }

  /// Some that were reserved were long.
  void were_long() noexcept {
    needed_ = std::min(2 * needed_, kMostNeeded);
    in_a_row_ = 0;
  }

 private:
  static constexpr double kWeight = 1.0 / 8;
  // So that one time alone does not end it: 5/8 more than a mean of 3/8. With 16 or more, flat groups
  // of 10,000 tasks of 6 ns were reserved half of the time only.
  static constexpr double kLongest = 5;
  static constexpr std::uint32_t kMostNeeded = 1024;

  // Of the times by what is worth a steal. Seven short ones bring it below 1.
  double mean_ = 2;
  std::uint32_t in_a_row_ = 0;  // times after which the mean was short
  std::uint32_t needed_ = 1;
  random_sample sample_;
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
