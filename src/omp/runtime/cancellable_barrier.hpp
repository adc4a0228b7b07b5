// A barrier that ends early when the region is cancelled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/futex.hpp"

namespace fg::omp::runtime {

/// The barriers of a region that may be cancelled: a thread that leaves the region arrives at none
/// of them any more, so those that wait must be let go.
///
/// ## States
/// One word holds the number of the barrier, and three bits:
///
///     asleep     threads may sleep on the word, or are about to
///     roused     the region has queues of tasks: from now on nobody sleeps on the word
///     cancelled  nobody waits any more
///
/// Each thread counts itself; the last one raises the number, which releases the others. Whoever
/// changes the word for those that sleep wakes all of them. A thread announces its sleep in the
/// word, and the system lets it sleep only while the word is as it was then: the bits for roused and
/// cancelled stay set until `renew`, so a change for the sleeper cannot go unnoticed.
///
/// What a thread does before it arrives is visible to the others once `has_reached` says so, unless
/// the region was cancelled: then nothing is ordered before the end of the region.
class cancellable_barrier {
 public:
  /// The barrier that comes next. Before the calling thread arrives at it.
  [[nodiscard]] std::uint32_t number() const noexcept {
    // Relaxed: it has not changed since the thread has seen it change, as it counts this thread.
    return word_.load(memory_order_relaxed) & kNumber;
  }

  /// Arrives at the barrier, as one of `size` threads. Returns true to the last of them, which calls
  /// `release` next.
  [[nodiscard]] bool is_last(std::uint32_t size) noexcept {
    // Acquire-release: the last one sees what all have done, and publishes it by `release`.
    return arrived_.fetch_add(1, memory_order_acq_rel) + 1 == size;
  }

  /// Ends the barrier. By the last to arrive.
  void release() noexcept {
    // Relaxed: the others arrive at the next barrier after the addition below.
    arrived_.store(0, memory_order_relaxed);
    // Release: pairs with the acquire in has_reached. Sequentially consistent, for what the caller
    // reads next: see hot_team.hpp.
    if ((word_.fetch_add(kStep, memory_order_seq_cst) & kAsleep) != 0) {
      // Relaxed: a hint that nobody sleeps. One that announces its sleep between the two is woken
      // and announces it again.
      word_.fetch_and(~kAsleep, memory_order_relaxed);
      fg::detail::futex::wake_all(word_);
    }
  }

  /// Whether barrier `number` has ended, or the region is cancelled.
  [[nodiscard]] bool has_reached(std::uint32_t number) const noexcept {
    // Acquire: pairs with the addition in release.
    const std::uint32_t seen = word_.load(memory_order_acquire);
    return (seen & kNumber) != number || (seen & kCancelled) != 0;
  }

  /// Sleeps until barrier `number` has ended, or shorter: the caller checks `has_reached` again.
  /// Does not sleep if `stays()`, called after the announcement, is false.
  template <class Stays>
  void sleep_before(std::uint32_t number, Stays stays) noexcept {
    // Sequentially consistent, for what `stays` reads: see hot_team.hpp.
    const std::uint32_t seen = word_.fetch_or(kAsleep, memory_order_seq_cst) | kAsleep;
    if (seen == (number | kAsleep) && stays()) {
      fg::detail::futex::sleep(word_, seen);
    }
  }

  /// Wakes those that sleep, without an end of the barrier; from now on nobody sleeps on the word.
  /// Any thread.
  void rouse() noexcept { change_for_all(kRoused); }

  /// Lets go all that wait, and all that come later. Any thread of the region.
  void cancel() noexcept { change_for_all(kCancelled); }

  /// Makes it ready for another region. Requires: no thread is in it. Relaxed: the next region's
  /// fork orders it.
  void renew() noexcept {
    if (word_.load(memory_order_relaxed) != 0) {
      word_.store(0, memory_order_relaxed);
    }
    if (arrived_.load(memory_order_relaxed) != 0) {
      arrived_.store(0, memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint32_t kAsleep = 1;
  static constexpr std::uint32_t kRoused = 2;
  static constexpr std::uint32_t kCancelled = 4;
  static constexpr std::uint32_t kStep = 8;
  static constexpr std::uint32_t kNumber = ~(kStep - 1);

  void change_for_all(std::uint32_t bit) noexcept {
    // Sequentially consistent: see hot_team.hpp.
    if ((word_.fetch_or(bit, memory_order_seq_cst) & kAsleep) != 0) {
      fg::detail::futex::wake_all(word_);
    }
  }

  fg::detail::futex::word word_{0};
  atomic<std::uint32_t> arrived_{0};
};

}  // namespace fg::omp::runtime
