// Slots of a pool for threads from outside, and where threads without a slot wait.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Which of a pool's places for callers are taken: one bit each. Any thread, no locks.
///
/// A thread that claims a place sees all that its last holder did before it left: the worker at
/// that place passes from thread to thread without a lock of its own.
class caller_slots {
 public:
  /// Bits of the word.
  static constexpr std::size_t kMost = 64;

  /// Requires: 0 < slots <= kMost.
  explicit caller_slots(std::size_t slots) noexcept
      : free_at_first_{slots == kMost ? ~std::uint64_t{0} : (std::uint64_t{1} << slots) - 1} {}
  caller_slots(const caller_slots&) = delete;
  caller_slots& operator=(const caller_slots&) = delete;

  /// The lowest free place, the caller's until `leave`; empty if all are taken. Never blocks.
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
    // Release: pairs with the acquire in claim. It continues the release sequences of other threads
    // that left, so a claim sees the last holder of its place whichever thread left last.
    taken_.fetch_and(~(std::uint64_t{1} << slot), memory_order_release);
  }

  /// Whether any place is taken, or was a moment ago.
  [[nodiscard]] bool any_taken_guess() const noexcept {
    return taken_.load(memory_order_relaxed) != 0;  // a guess, which orders nothing
  }

 private:
  std::uint64_t free_at_first_;
  atomic<std::uint64_t> taken_{0};
};

/// Lets any number of threads sleep until what each waits for is done. While none sleeps, a thread
/// that completes something pays one load.
///
/// ## Protocol
///
///     worker                              waiter
///     P1 complete something               S1 count itself, read the round
///     P2 light fence                      S2 heavy fence
///     P3 any counted? then                S3 done? then uncount itself, go on
///     P4 next round, wake all             S4 sleep while the round is the one read
///
/// S3 misses P1 or P3 misses S1, but not both (asymmetric_fence.hpp). P4 between S1 and S4 changes
/// the round, so that S4 does not sleep. P4 wakes all waiters, since it is unknown whose completion
/// it was: they are few, and wait for coarse-grained work.
///
/// All functions may be called by any thread. No locks.
class outside_waiters {
 public:
  outside_waiters() = default;
  outside_waiters(const outside_waiters&) = delete;
  outside_waiters& operator=(const outside_waiters&) = delete;

  /// To be called after something was completed.
  void tell() noexcept {
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();  // P2
    if (waiting_.load(memory_order_relaxed) != 0) [[unlikely]] {  // P3, after P1 by the fence
      // Sequentially consistent: as in sleep_gate, the standard library's notify may look for
      // waiters by a load that could pass a weaker store.
      round_.fetch_add(1, memory_order_seq_cst);
      round_.notify_all();
    }
  }

  /// Sleeps until `done()`, which reads with acquire what was completed.
  template <class Done>
  void wait(Done done) noexcept {
    waiting_.fetch_add(1, memory_order_relaxed);  // S1, before S3 by the fence
    for (;;) {
      // Relaxed: only a number. Before S3 by the fence.
      const std::uint32_t round = round_.load(memory_order_relaxed);
      asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();  // S2
      if (done()) {
        break;
      }
      round_.wait(round, memory_order_relaxed);  // relaxed, as the load
    }
    waiting_.fetch_sub(1, memory_order_relaxed);  // seen late, it costs a needless wake-up
  }

 private:
  bool asymmetric_ = asymmetric_fence::available();
  atomic<std::uint32_t> waiting_{0};
  atomic<std::uint32_t> round_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
