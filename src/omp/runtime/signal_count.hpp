// A word that one thread counts up and another one waits for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/futex.hpp"

namespace fg::omp::runtime {

/// One direction between two threads: `raise` on the one, waiting on the other. One for each
/// direction makes a barrier of two in which both are on the way at the same time.
///
/// ## States
/// The word holds how often it was raised, and whether the waiting thread sleeps. Only the raising
/// thread changes the number; only the waiting one announces its sleep, in the same word: so either
/// the announcement comes before the raise, which then wakes it, or it fails, because the word is
/// not what it was. A third thread may withdraw the announcement by `rouse`.
///
/// It is a number and not a flag, because the raising thread may be one raise ahead: in a barrier of
/// two it goes on, and reaches the next one, before the other has looked.
///
/// What a thread does before it raises is visible to the other one once `has_reached` says so.
class signal_count {
 public:
  /// Whether it was raised that often; `times` is at most one behind it (modulo 2^31).
  [[nodiscard]] bool has_reached(std::uint32_t times) const noexcept {
    // Acquire: pairs with the exchange in raise.
    return is_reached(word_.load(memory_order_acquire), times);
  }

  /// Counts up, and wakes the thread that waits. Returns how often it has been raised. Raising
  /// thread only.
  std::uint32_t raise() noexcept {
    // Relaxed: the number is this thread's own.
    const std::uint32_t next = (word_.load(memory_order_relaxed) | kAsleep) + 1;
    // Release: pairs with the acquire in has_reached. Sequentially consistent, for what the caller
    // reads next: see hot_team.hpp. An exchange and not a store: it takes the announcement.
    if ((word_.exchange(next, memory_order_seq_cst) & kAsleep) != 0) [[unlikely]] {
      fg::detail::futex::wake_one(word_);
    }
    return next >> 1U;
  }

  /// Sleeps until it is raised to `times`, or shorter: the caller checks `has_reached` again. Does
  /// not sleep if `stays()`, called after the announcement, is false. Waiting thread only.
  template <class Stays>
  void sleep_before(std::uint32_t times, Stays stays) noexcept {
    std::uint32_t seen = word_.load(memory_order_relaxed);  // checked by the exchange
    if (is_reached(seen, times)) {
      return;
    }
    // Sequentially consistent, for what `stays` reads: see hot_team.hpp. Relaxed on failure: it has
    // been raised, which the caller checks, or `rouse` has withdrawn an older announcement.
    if (((seen & kAsleep) != 0 ||
         word_.compare_exchange_strong(seen, seen | kAsleep, memory_order_seq_cst,
                                       memory_order_relaxed)) &&
        stays()) {
      fg::detail::futex::sleep(word_, seen | kAsleep);
    }
  }

  /// Wakes the waiting thread if it sleeps, without a raise. Any thread.
  void rouse() noexcept {
    // Sequentially consistent: see hot_team.hpp. The load saves a transfer.
    if ((word_.load(memory_order_seq_cst) & kAsleep) != 0 &&
        (word_.fetch_and(~kAsleep, memory_order_seq_cst) & kAsleep) != 0) {
      fg::detail::futex::wake_one(word_);
    }
  }

 private:
  static constexpr std::uint32_t kAsleep = 1;  // the waiting thread; the number is above it

  static bool is_reached(std::uint32_t word, std::uint32_t times) noexcept {
    return static_cast<std::int32_t>((word & ~kAsleep) - (times << 1U)) >= 0;
  }

  fg::detail::futex::word word_{0};
};

}  // namespace fg::omp::runtime
