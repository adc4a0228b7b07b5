// Whether all calls at one place in the source are too short to be shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One call of 16 is timed, at random distances: long calls may come in a rhythm. All count as short
/// when four timed ones in a row were. If a timed one is long then, the next row has to be twice as
/// long, up to 1024: where few calls are long, they may still be most of the work, and while they
/// count as short they are not shared.
///
/// Used by one thread. Constant time.
class short_calls {
 public:
  [[nodiscard]] bool all_short() const noexcept { return in_a_row_ >= needed_; }

  /// Counts a call. Whether it should be timed.
  [[nodiscard]] bool is_due() noexcept {
    if (--calls_to_next_ != 0) {
      return false;
    }
    random_ = random_ * 1664525U + 1013904223U;  // Knuth, The Art of Computer Programming, 3.3.4
    calls_to_next_ = 1 + (random_ >> kRandomBits);
    return true;
  }

  void timed(bool was_short) noexcept {
    if (was_short) {
      in_a_row_ = std::min(in_a_row_ + 1, needed_);
      return;
    }
    if (all_short()) {
      needed_ = std::min(2 * needed_, kMostNeeded);
    }
    in_a_row_ = 0;
  }

 private:
  // 1 to 32 calls. Two clock reads, 20 ns (EPYC 9004, KVM), so add 1 ns to a call.
  static constexpr std::uint32_t kRandomBits = 32 - 5;
  static constexpr std::uint32_t kLeastNeeded = 4;
  static constexpr std::uint32_t kMostNeeded = 1024;

  std::uint32_t calls_to_next_ = 16;
  std::uint32_t random_ = 0;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t needed_ = kLeastNeeded;
};

/// Those at the place that these types belong to, on the calling thread.
template <class... F>
short_calls& short_calls_of() noexcept {
  constinit static thread_local short_calls calls;
  return calls;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
