// Calls a function during which waits run only tasks that it has spawned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Calls `f` and returns what it returns. Until then, whatever the calling thread waits for in `f`
/// (a group, a fork, a loop) it runs no task meanwhile but those that were spawned within `f`: so
/// `f` may hold a lock that other tasks of the program take.
///
///     const std::lock_guard lock{cache_mutex};
///     fg::isolate([&] { fg::parallel_for(0, n, fill); });   // waits, but never takes the lock
///     again
///
/// Without it, a wait within a task runs other tasks of the same call of `run`, never those of
/// another one, nor posted ones.
///
/// What was spawned before stays where other workers can take it. What is spawned in `f` may run
/// anywhere, as ever. Requires: `f` waits for nothing that this thread has spawned before, nor for
/// somebody who does. Any thread; on one that is no worker it just calls `f`. Under policies other
/// than `private_deque`, which do not tell tasks apart, what `f` spawns runs at once. Throws what
/// `f` throws. Constant time.
///
/// Not for several pools at once: it isolates the thread as a worker of the pool in which it works.
/// If `f` waits for a value (`async`, `posted_group`) of another pool in which the thread works
/// too, further out, or, under policies other than `private_deque`, of any other pool, it may run
/// tasks that were spawned outside.
template <class F>
  requires std::is_invocable_v<F&>
std::invoke_result_t<F&> isolate(F&& f) {
  worker* const self = worker::current();
  if (self == nullptr) {
    return f();
  }
  const worker::new_region region{*self};
  return f();
}

}  // namespace fg::inline FINEGRAIN_ABI
