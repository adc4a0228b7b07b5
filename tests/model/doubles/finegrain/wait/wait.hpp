// How threads wait, for the model checker: replaces the loop of the shipped wait/wait.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define spin_wait shipped_spin_wait
#include_next "finegrain/wait/wait.hpp"
#undef spin_wait
#pragma clang diagnostic pop

#include <array>
#include <chrono>
#include <cstdint>

#include "checker/explorer.hpp"
#include "checker/scenario.hpp"
#include "finegrain/core/pause.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How often each thread of the scenario may read the clock while it waits. The scenario sets it at
/// its start, each time.
inline std::array<int, model::kMaxThreads> clock_reads_left{};

/// The checker tries all times: a poll waits until there is something, or the clock is read, the
/// first time after more than a relic's usual budget, the second time after the hinted one.
template <wait_policy Policy = spin_pause>
class spin_wait {
 public:
  template <class Changed>
  bool operator()(const void* /*line*/, Changed&& changed) noexcept {
    if (reads_clock()) {
      return true;
    }
    model::await(changed);
    return false;
  }

  bool operator()() noexcept {  // with no line to monitor
    if (reads_clock()) {
      return true;
    }
    model::explorer::current()->look_again();
    return false;
  }

  /// For a loop that pauses itself. True if the budget is spent; otherwise returns only after
  /// something that the loop has read has changed.
  bool count_look() noexcept {
    if (sleeps_left_here() == 0) {
      return false;  // the pause before it has polled again
    }
    if (model::choose(2) == 1) {
      --sleeps_left_here();
      waited_ = kLongest;
      return true;
    }
    model::explorer::current()->look_again();
    return false;
  }

  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }
  [[nodiscard]] std::uint64_t now() const noexcept { return ticks() + waited_ticks(); }
  [[nodiscard]] std::uint64_t waited_ticks() const noexcept { return to_ticks(waited_); }
  [[nodiscard]] std::uint64_t span_ticks() const noexcept {
    return waited_.count() == 0 ? 0 : kLooksPerClockRead;
  }
  [[nodiscard]] static std::uint64_t yield_ticks() noexcept { return 0; }
  [[nodiscard]] static bool just_yielded() noexcept { return false; }

  static constexpr std::uint32_t kLooksPerClockRead = 64;

 private:
  bool reads_clock() noexcept {
    looks_ += kLooksPerClockRead;
    int& reads_left = clock_reads_left[model::explorer::current()->thread()];
    if (reads_left == 0 || model::choose(2) == 0) {
      return false;
    }
    --reads_left;
    waited_ = waited_.count() == 0 ? kLonger : kLongest;
    return true;
  }

  static constexpr std::chrono::milliseconds kLonger{1};
  static constexpr std::chrono::milliseconds kLongest{1000};

  std::uint32_t looks_ = 0;
  std::chrono::milliseconds waited_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI
