// Whom a thief tries next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/core/cxx20.hpp"

namespace fg {

/// Stays with a victim while that has something, else goes to another one at random (X-OpenMP
/// section 4.2: the memory of the last victim). One thread.
class victim_choice {
 public:
  victim_choice() = default;
  /// Requires: self < workers.
  victim_choice(std::size_t self, std::size_t workers) noexcept
      : self_{self}, workers_{workers}, random_{self * 0x9e3779b97f4a7c15U + 1} {
    another();
  }

  /// Requires: two workers at least.
  [[nodiscard]] std::size_t current() const noexcept { return current_; }

  /// Chooses among all but oneself.
  void another() noexcept {
    if (workers_ < 2) {
      return;
    }
    // xorshift64 (Marsaglia 2003): three instructions; its weak low bits are not used.
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    const std::size_t pick = (random_ >> 32U) % (workers_ - 1);
    current_ = pick < self_ ? pick : pick + 1;
  }

 private:
  std::size_t self_ = 0;
  std::size_t workers_ = 1;
  std::uint64_t random_ = 1;
  std::size_t current_ = 0;
};

}  // namespace fg
