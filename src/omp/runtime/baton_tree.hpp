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
    gather(number, [&](baton& turn) { waiting.for_pass_up(turn); });
    const bool has_others = Tree::may_have_others_below(number);
    bool was_busy = false;
    if (number != 0) {
      baton& own = turn_of_(number);
      own.pass_to(side::leader);
      waiting.tell();
      was_busy = waiting.for_pass_down(own, has_others);
    }
    if (has_others && !was_busy) {
      let_go(number);
      waiting.tell();
    }
  }

  /// Waits for the batons of those right below `number`.
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
