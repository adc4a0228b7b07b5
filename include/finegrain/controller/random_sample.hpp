// Which calls at one place in the source are timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One call of 16, at random distances: calls of one kind may come in a rhythm.
///
/// Used by one thread. Constant time.
class random_sample {
 public:
  /// Counts a call. Whether it should be timed.
  [[nodiscard]] bool is_due() noexcept {
    if (--calls_to_next_ != 0) {
      return false;
    }
    random_ = random_ * 1664525U + 1013904223U;  // Knuth, The Art of Computer Programming, 3.3.4
    calls_to_next_ = 1 + (random_ >> kRandomBits);
    return true;
  }

 private:
  // 1 to 32 calls. Two clock reads, 20 ns (EPYC 9004, KVM), so add 1 ns to a call.
  static constexpr std::uint32_t kRandomBits = 32 - 5;

  std::uint32_t calls_to_next_ = 16;
  std::uint32_t random_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
