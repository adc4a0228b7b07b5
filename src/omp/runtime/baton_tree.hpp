// The barrier of a wide region: up and down a tree of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "baton.hpp"

namespace fg::omp::runtime {

/// Each thread but 0 shares a baton with the one above it in `Tree` (fork_tree.hpp), and waits until
/// it is passed back.
///
/// ## Protocol of a barrier
///
///     up     a thread waits until all right below it have passed their batons, then passes its own
///     down   when it gets its own back it passes those of the threads below it
///
/// Thread 0 turns when it has all. What each thread did before is visible to thread 0 by the passes
/// on the way up, each of which is released after the ones below it were acquired, and to all others
/// by those on the way down.
///
/// On the way up a thread may run tasks while it waits: the barrier cannot end before these. On the
/// way down it may not without more ado, because the task may be one that was created after the
/// barrier, by a thread that was let go earlier, and may wait for a thread below this one. So it
/// announces that it is busy. Whoever passes a busy thread's baton has passed those below it on its
/// behalf before. Not afterwards: it would come back, take a baton that has not been passed yet for
/// one that has come up to the next barrier, and end that too early.
///
/// A reduction goes the same way up: a thread combines with its own values those that the threads
/// below it bring, and passes its baton then. Which way down depends on whether there is a barrier
/// at its end.
///
/// As all that wait are busy where there are tasks, thread 0 lets go all of them then, one after
/// another.
///
/// `turn_of(number)`: that thread's baton.
template <class Tree, class TurnOf>
class baton_tree {
 public:
  baton_tree(std::uint32_t size, TurnOf turn_of) noexcept : size_{size}, turn_of_{turn_of} {}

  /// Thread `number`'s part of a barrier. `waiting.for_pass_up(baton)` returns when it is the
  /// leader's turn. `for_pass_down(baton, announces)` returns when it is the worker's, and whether
  /// the thread has announced that it is busy, which it only does if `announces`. `tell()` follows
  /// each change of batons.
  template <class Waiting>
  void meet(std::uint32_t number, Waiting& waiting) const noexcept {
    come_up(number, waiting, [](std::uint32_t /*other*/) {});
    go_down(number, waiting);
  }

  /// The way up alone. Calls `take(other)` for each of those right below, as soon as it has come up.
  template <class Waiting, class Take>
  void come_up(std::uint32_t number, Waiting& waiting, Take take) const noexcept {
    Tree::nearest_first(number, size_, [&](std::uint32_t other) {
      waiting.for_pass_up(turn_of_(other));
      take(other);
    });
    if (number != 0) {
      turn_of_(number).pass_to(side::leader);
      waiting.tell();
    }
  }

  /// The way down. Requires: the thread has come up, thread 0 last.
  template <class Waiting>
  void go_down(std::uint32_t number, Waiting& waiting) const noexcept {
    const bool has_others = Tree::may_have_others_below(number);
    const bool was_busy = number != 0 && waiting.for_pass_down(turn_of_(number), has_others);
    if (has_others && !was_busy) {
      let_go(number);
      waiting.tell();
    }
  }

  /// The way up, after which nobody waits longer than until the one above has taken what it brings.
  template <class Waiting, class Take>
  void bring_up(std::uint32_t number, Waiting& waiting, Take take) const noexcept {
    come_up(number, waiting, [&](std::uint32_t other) {
      take(other);
      turn_of_(other).pass_to(side::worker);
      waiting.tell();
    });
    if (number != 0) {
      static_cast<void>(waiting.for_pass_down(turn_of_(number), false));
    }
  }

  /// The end of a region: waits for the batons of those right below `number`.
  template <class Await>
  void gather(std::uint32_t number, Await await) const noexcept {
    Tree::nearest_first(number, size_, [&](std::uint32_t other) { await(turn_of_(other)); });
  }

 private:
  // Passes the batons of those below `number`, which wait.
  void let_go(std::uint32_t number) const noexcept {
    Tree::farthest_first(number, size_, [&](std::uint32_t other) {
      baton& turn = turn_of_(other);
      if (Tree::may_have_others_below(other)) {
        if (turn.pass_unless_busy()) {
          return;
        }
        let_go(other);
      }
      turn.pass_to(side::worker);
    });
  }

  std::uint32_t size_;
  TurnOf turn_of_;
};

}  // namespace fg::omp::runtime
