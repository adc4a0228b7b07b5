// Whether it is worth to wake a sleeping assistant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The main thread's account of what became of tasks that it had for a sleeping assistant. A
/// wake-up costs the main thread a system call (9 us) and the assistant arrives 31 to 90 us later
/// (EPYC 9004, KVM). It was in vain if the main thread, waiting, had to run the tasks itself and was
/// done within `kWorthIt` after it had them. After two such the main thread leaves an assistant
/// asleep that will look by itself soon, and runs the tasks where it waits, until this takes longer.
///
/// For the main thread only. Times in ticks.
class wake_up_value {
 public:
  /// There is a task for a sleeper. True if it is the first since those that are accounted for.
  bool asked(std::uint64_t now) noexcept {
    if (is_open_ && now - asked_ >= worth_it_) {
      is_open_ = false;  // the assistant has run them: that says nothing, it may have come late
      if (left_asleep_) {
        in_vain_ = 0;  // nobody has waited
      }
    }
    const bool is_first = !is_open_;
    if (is_first) {
      is_open_ = true;
      asked_ = now;
    }
    return is_first;
  }

  /// The main thread has run tasks while it waited.
  void helped(std::uint64_t now) noexcept {
    if (is_open_) {
      in_vain_ = now - asked_ < worth_it_ ? in_vain_ + 1 : 0;
      is_open_ = false;
    }
  }

  /// The main thread has kept work that is not worth a wake-up. True if the sleeper should be woken
  /// nevertheless, so that it learns when there is work: rarely, and ever more so.
  [[nodiscard]] bool lets_learn() noexcept {
    if (++missed_ < patience_) {
      return false;
    }
    missed_ = 0;
    patience_ = std::min(4 * patience_, kMostPatience);
    return true;
  }

  /// The main thread leaves the sleeper asleep, with tasks.
  void leave_asleep() noexcept { left_asleep_ = true; }

  /// True until `take_left_asleep`.
  [[nodiscard]] bool left_asleep() const noexcept { return left_asleep_; }
  void take_left_asleep() noexcept { left_asleep_ = false; }

  /// True while the tasks of the latest `asked` are not accounted for.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  [[nodiscard]] bool is_vain() const noexcept { return in_vain_ >= kEnough; }

 private:
  static constexpr std::chrono::microseconds kWorthIt{150};
  static constexpr std::uint32_t kEnough = 2;
  static constexpr std::uint32_t kLeastPatience = 8;
  static constexpr std::uint32_t kMostPatience = 64;

  std::uint64_t worth_it_ = to_ticks(kWorthIt);
  std::uint64_t asked_ = 0;
  std::uint32_t in_vain_ = 0;
  std::uint32_t missed_ = 0;
  std::uint32_t patience_ = kLeastPatience;
  bool is_open_ = false;
  bool left_asleep_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
