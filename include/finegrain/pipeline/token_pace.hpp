// Notices when the tokens of a pipeline take much longer than before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// How long a token takes, from the clock between batches. What was learnt about cheap tokens is wrong
/// for expensive ones, and it would take as many of these until that is measured again.
class token_pace {
 public:
  void begin(std::uint64_t now) noexcept { start_ = now; }

  /// Since `begin`, `tokens` were made: more than none. True if they took much longer than usual; the
  /// caller begins again. One such batch may have lost its CPU to another program, the second one
  /// counts.
  [[nodiscard]] bool is_slow(std::uint64_t tokens, std::uint64_t now) noexcept {
    const std::uint64_t took = now - start_;
    const std::uint64_t usual = usual_ * tokens;
    if (usual_ != 0 && took > kTimes * usual + to_ticks(kLeast)) [[unlikely]] {
      if (std::exchange(was_slow_, true)) {
        has_slowed_ = true;
        usual_ = 0;
      }
      return true;
    }
    was_slow_ = false;
    // Follows slow changes, and never 0: that is unknown.
    usual_ = usual_ == 0 ? took / tokens + 1 : usual_ - usual_ / 8 + took / tokens / 8 + 1;
    return false;
  }

  [[nodiscard]] bool take_has_slowed() noexcept {
    was_slow_ = was_slow_ && !has_slowed_;
    return std::exchange(has_slowed_, false);
  }

 private:
  // More than two threads gain or lose, and than a wake-up takes (30 to 90 us). From twice and 30 us on
  // no bound is better than another one: steady tokens of 0.1, 1 and 10 us, whose thread lost its CPU
  // 20 times a second, were taken for slower ones 0, 0.1 and 0.3 times a second; without the bounds 22,
  // 54 and 24 times (8 s each, a CPU of an EPYC 9005, KVM, shared with other programs).
  static constexpr std::uint64_t kTimes = 4;
  static constexpr std::chrono::microseconds kLeast{100};

  std::uint64_t start_ = 0;
  std::uint64_t usual_ = 0;  // ticks a token; 0: unknown
  bool was_slow_ = false;
  bool has_slowed_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
