// How long a worker between two tasks looks for the next one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "finegrain/controller/spin_budget.hpp"
#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What a worker knows about its pauses between two tasks, and how long it looks in the next one
/// (controller/spin_budget.hpp).
///
/// A pause begins with the first clock read without a task. A shorter one is not counted: every
/// budget covers it. It ends when there is a task, which is when the worker finds one or is woken
/// for one, even if another thread has run that one by then: a worker that counted only what it
/// finds, and slept at once because it seldom finds anything, would come too late each time and
/// never learn that it should stay awake.
///
/// For the worker's thread. Times in ticks.
class worker_pauses {
 public:
  explicit worker_pauses(std::uint64_t longest_budget) noexcept : budget_{longest_budget} {}

  [[nodiscard]] bool is_pause() const noexcept { return began_ != 0; }

  /// There was no task from `first`, the first clock read, to `now`. True: it should sleep.
  [[nodiscard]] bool has_looked_enough(std::uint64_t first, std::uint64_t now) noexcept {
    if (!is_pause()) {
      began_ = first;
      looks_for_ = budget_.ticks();
    }
    looked_ = now - began_;
    return looked_ > looks_for_;
  }

  /// It has found a task, or seen one that another thread has taken by now, without a sleep: in time
  /// even if the budget was over, by the last look before the sleep. Requires: it is a pause.
  void found_task(std::uint64_t now) noexcept { end(std::min(now - began_, looks_for_)); }

  /// It has slept, and a task came `kWakeUp` ago, but after the last look. Requires: it is a pause.
  void was_woken(std::uint64_t now) noexcept {
    end(std::max(looked_, now - std::min(now, began_ + to_ticks(kWakeUp))));
  }

 private:
  // From a post to a task's start on a sleeper: 29 us at the tenth percentile, 33 to 58 at the
  // median, 60 to 67 at the ninetieth (EPYC, model 17, KVM, Linux 6.18). Without it whoever sleeps
  // finds all pauses longer than whoever looks, and continues to sleep: calls of 20 us every 230 us
  // after some every 5 ms took 27 us, not 14 (same machine).
  static constexpr std::chrono::microseconds kWakeUp{50};

  void end(std::uint64_t pause) noexcept {
    budget_.add(pause);
    began_ = 0;
  }

  spin_budget budget_;
  std::uint64_t began_ = 0;  // 0: it is no pause
  std::uint64_t looks_for_ = 0;
  std::uint64_t looked_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
