// Places for threads that come from outside to work in a pool for a while.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Which of a pool's places for callers are taken: a bit each. Any thread, no locks.
///
/// Whoever claims a place sees all that its last holder did before it left: the worker that stands
/// there passes from thread to thread without a lock of its own.
class caller_slots {
 public:
  /// Bits of the word.
  static constexpr std::size_t kMost = 64;

  /// Requires: 0 < slots <= kMost.
  explicit caller_slots(std::size_t slots) noexcept
      : free_at_first_{slots == kMost ? ~std::uint64_t{0} : (std::uint64_t{1} << slots) - 1} {}
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The lowest free place, which is the caller's until `leave`; empty if all are taken. Never
  /// blocks.
  [[nodiscard]] std::optional<std::size_t> claim() noexcept {
    std::uint64_t taken = taken_.load(memory_order_relaxed);  // a guess, corrected by the exchange
    for (std::uint64_t free = free_at_first_ & ~taken; free != 0; free = free_at_first_ & ~taken) {
      const std::uint64_t lowest = free & (~free + 1);
      // Acquire: pairs with the release in leave.
      if (taken_.compare_exchange_weak(taken, taken | lowest, memory_order_acquire,
                                       memory_order_relaxed)) {
        return static_cast<std::size_t>(std::countr_zero(lowest));
      }
    }
    return std::nullopt;
  }

  /// Ends a claim.
  void leave(std::size_t slot) noexcept {
    // Release: pairs with the acquire in claim. It continues the release sequences of others'
    // leaving, so that a claim sees its own place's last holder whoever left last.
    taken_.fetch_and(~(std::uint64_t{1} << slot), memory_order_release);
  }

  /// Whether somebody has a place, or had a moment ago.
  [[nodiscard]] bool any_taken_guess() const noexcept {
    return taken_.load(memory_order_relaxed) != 0;  // a guess, which orders nothing
  }

 private:
  std::uint64_t free_at_first_;
  atomic<std::uint64_t> taken_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI
