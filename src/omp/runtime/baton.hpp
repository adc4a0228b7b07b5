// A word that two threads pass to and fro: whose turn it is, and whether the other one sleeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/futex.hpp"

namespace fg::omp::runtime {

/// The two threads that share a baton: a worker, and the one above it, which opens regions or is
/// another worker (fork_tree.hpp).
enum class side : std::uint32_t { leader = 0, worker = 1 };

/// ## States
///
///     leader's            the worker waits: for a region, or in a barrier
///     leader's, asleep    the same, in the system
///     leader's, busy      the worker waits in a barrier and runs tasks: it may come back late
///     worker's            the leader runs its own part, or waits
///     worker's, asleep    the leader waits in the system
///
/// Only the side whose turn it is changes the turn, by `pass_to` or `pass_unless_busy`. Only the
/// other side announces that it sleeps or is busy, in the same word: so either the announcement
/// comes before the pass, which takes it, or it fails. Who passes then wakes the sleeper, or does
/// first what the busy one is late for (baton_tree.hpp). A third thread may withdraw the
/// announcement of a sleep by `rouse`, never change the turn.
///
/// What a side does before it passes the baton is visible to the other once `has_reached` says so.
class baton {
 public:
  /// Whether it is this side's turn.
  [[nodiscard]] bool has_reached(side which) const noexcept {
    // Acquire: pairs with the exchange in pass_to.
    return (word_.load(memory_order_acquire) & kSide) == static_cast<std::uint32_t>(which);
  }

  /// Ends the calling side's turn, and wakes the other one. Requires: it is the calling side's turn.
  void pass_to(side other) noexcept {
    // Release: pairs with the acquire in has_reached. Sequentially consistent, for what the caller
    // reads next: see hot_team.hpp. An exchange and not a store: it takes the announcement. The
    // line has to become the caller's either way.
    if ((word_.exchange(static_cast<std::uint32_t>(other), memory_order_seq_cst) & kAsleep) != 0)
        [[unlikely]] {
      fg::detail::futex::wake_one(word_);
    }
  }

  /// The same for the leader's side, unless the worker is busy; returns whether it has.
  [[nodiscard]] bool pass_unless_busy() noexcept {
    constexpr auto kPassed = static_cast<std::uint32_t>(side::worker);
    auto seen = static_cast<std::uint32_t>(side::leader);
    // On success as in pass_to. Relaxed on failure: the caller passes it later, and there is nothing
    // of the busy worker's to be seen.
    while (
        !word_.compare_exchange_weak(seen, kPassed, memory_order_seq_cst, memory_order_relaxed)) {
      if ((seen & kBusy) != 0) {
        return false;
      }
    }
    if ((seen & kAsleep) != 0) [[unlikely]] {
      fg::detail::futex::wake_one(word_);
    }
    return true;
  }

  /// Announces that the worker, which waits, is busy until the baton is passed to it. Returns false
  /// if that has happened already: the caller checks `has_reached` again. Worker's side only.
  [[nodiscard]] bool become_busy() noexcept {
    // Relaxed, as the exchange below: a look.
    std::uint32_t seen = word_.load(memory_order_relaxed);
    do {
      if ((seen & kSide) == static_cast<std::uint32_t>(side::worker)) {
        return false;
      }
      // Relaxed, both: it publishes nothing, and a failure is looked at again. Whoever reads the
      // announcement in has_reached has read this side's pass, too, since a read-modify-write
      // continues its release.
    } while (!word_.compare_exchange_weak(seen, seen | kBusy, memory_order_relaxed,
                                          memory_order_relaxed));
    return true;
  }

  /// Sleeps until it is this side's turn, or shorter: the caller checks `has_reached` again. Does
  /// not sleep if `stays()`, called after the announcement, is false.
  template <class Stays>
  void sleep_before(side own, Stays stays) noexcept {
    const std::uint32_t others = static_cast<std::uint32_t>(own) ^ kSide;
    std::uint32_t seen = others;
    // Sequentially consistent, for what `stays` reads: see hot_team.hpp. Relaxed on failure: it is
    // this side's turn, which the caller checks, or an earlier announcement still stands.
    if ((word_.compare_exchange_strong(seen, others | kAsleep, memory_order_seq_cst,
                                       memory_order_relaxed) ||
         seen == (others | kAsleep)) &&
        stays()) {
      fg::detail::futex::sleep(word_, others | kAsleep);
    }
  }

  /// Wakes whoever sleeps, without a turn. Any thread.
  void rouse() noexcept {
    // Sequentially consistent: see hot_team.hpp. The load saves a transfer.
    if ((word_.load(memory_order_seq_cst) & kAsleep) != 0 &&
        (word_.fetch_and(~kAsleep, memory_order_seq_cst) & kAsleep) != 0) {
      fg::detail::futex::wake_one(word_);
    }
  }

 private:
  static constexpr std::uint32_t kSide = 1;
  static constexpr std::uint32_t kAsleep = 2;  // the side that waits
  static constexpr std::uint32_t kBusy = 4;    // the worker's, while it waits

  fg::detail::futex::word word_{static_cast<std::uint32_t>(side::leader)};
};

}  // namespace fg::omp::runtime
