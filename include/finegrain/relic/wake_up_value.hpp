// Whether it is worth to wake a sleeping assistant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The main thread's account of what became of tasks that it had for a sleeping assistant. A
/// wake-up costs the main thread a system call (9 us) and the assistant arrives 31 to 90 us later
/// (EPYC 9004, KVM). Calls that follow each other within `kWorthIt` are a burst. Its wake-up was in
/// vain if the main thread, waiting, ran tasks itself, the assistant hardly any, and the burst was
/// over within `kWorthIt`. After some such bursts the main thread leaves an assistant asleep that
/// will look by itself soon, and runs the tasks where it waits: for `kWorthIt`, then it wakes it all
/// the same. Whenever that happens, it has to see more wake-ups in vain before the next time;
/// fewer again when leaving it asleep was right for long.
///
/// For the main thread only. Times in ticks.
class wake_up_value {
 public:
  /// There is a task for a sleeper that has run `by_assistant` so far. True if it begins a burst.
  bool asked(std::uint64_t now, std::uint64_t by_assistant) noexcept {
    const bool is_first = now - latest_ >= worth_it_;
    if (is_first) {
      judge(by_assistant);
      began_ = now;
      has_helped_ = false;
    } else if (left_asleep_ && now - began_ >= worth_it_) {
      trust_less();
    }
    latest_ = now;
    return is_first;
  }

  /// The main thread has run tasks while it waited.
  void helped(std::uint64_t now) noexcept {
    has_helped_ = true;
    latest_ = now;
    if (now - began_ >= worth_it_) {
      is_vain() ? trust_less() : forget();
    } else if (is_vain() && ++right_ == kRight) {
      right_ = 0;
      enough_ = std::max(enough_ / 2, kEnough);
    }
  }

  /// True if the sleeper may be left asleep.
  [[nodiscard]] bool is_vain() const noexcept { return in_vain_ >= enough_; }

  /// The main thread leaves the sleeper asleep, with tasks.
  void leave_asleep() noexcept { left_asleep_ = true; }

  /// True until `take_left_asleep`.
  [[nodiscard]] bool left_asleep() const noexcept { return left_asleep_; }
  void take_left_asleep() noexcept { left_asleep_ = false; }

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

 private:
  static constexpr std::chrono::microseconds kWorthIt{150};
  static constexpr std::uint64_t kOfUse = 2;  // tasks of a burst; a single one may have come late
  static constexpr std::uint32_t kEnough = 2;
  static constexpr std::uint32_t kMostEnough = 256;
  static constexpr std::uint32_t kRight = 32;  // times that it was right, until it is trusted more
  static constexpr std::uint32_t kLeastPatience = 8;
  static constexpr std::uint32_t kMostPatience = 64;

  // The latest burst is over.
  void judge(std::uint64_t by_assistant) noexcept {
    const std::uint64_t ran = by_assistant - std::exchange(by_assistant_, by_assistant);
    if (left_asleep_) {
      trust_less();  // nobody has waited
    } else if (ran >= kOfUse) {
      forget();
    } else if (has_helped_ && !is_vain()) {
      ++in_vain_;
    }
  }

  void forget() noexcept { in_vain_ = 0; }

  // Leaving it asleep was wrong.
  void trust_less() noexcept {
    enough_ = std::min(4 * enough_, kMostEnough);
    right_ = 0;
    left_asleep_ = false;
    forget();
  }

  std::uint64_t worth_it_ = to_ticks(kWorthIt);
  std::uint64_t began_ = 0;         // the burst
  std::uint64_t latest_ = 0;        // call of it
  std::uint64_t by_assistant_ = 0;  // tasks, before it
  std::uint32_t in_vain_ = 0;
  std::uint32_t enough_ = kEnough;
  std::uint32_t right_ = 0;
  std::uint32_t missed_ = 0;
  std::uint32_t patience_ = kLeastPatience;
  bool has_helped_ = false;
  bool left_asleep_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
