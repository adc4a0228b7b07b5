// Chooses the next victim of a thief.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Stays with a victim as long as it has tasks, then moves to another one at random (X-OpenMP
/// section 4.2: the memory of the last victim). Used by one thread.
class victim_choice {
 public:
  victim_choice() = default;
  explicit victim_choice(std::size_t self) noexcept
      : self_{self}, random_{self * 0x9e3779b97f4a7c15U + 1}, current_{self == 0 ? 1U : 0U} {}

  /// Requires: there are at least two workers.
  [[nodiscard]] std::size_t current() const noexcept { return current_; }

  /// Chooses any of `workers` but itself. Requires: at least two, and never fewer than before.
  void another(std::size_t workers) noexcept {
    // xorshift64 (Marsaglia 2003): three instructions; its weak low bits are not used.
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    const std::size_t pick = (random_ >> 32U) % (workers - 1);
    current_ = pick < self_ ? pick : pick + 1;
  }

 private:
  std::size_t self_ = 0;
  std::uint64_t random_ = 1;
  std::size_t current_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
