// Calls a function during which waits run only tasks that it has spawned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Calls `f` and returns what it returns. While the calling thread waits for something within `f`
/// (a group, a fork, a loop), it runs only tasks that were spawned within `f`. So `f` may hold a
/// lock that other tasks of the program take.
///
///     const std::lock_guard lock{cache_mutex};
///     fg::isolate([&] { fg::parallel_for(0, n, fill); });   // waits, never locks again
///
/// Without it, a wait within a task runs other tasks of the same call of `run`, but never those of
/// another call, nor posted ones.
///
/// Tasks spawned before stay where other workers can take them. What is spawned in `f` may run
/// anywhere, as usual. Requires: `f` does not wait, not even indirectly, for anything that this
/// thread has spawned before. Any thread; on one that is no worker it only calls `f`. Under
/// policies other than `private_deque`, which do not distinguish tasks, what `f` spawns runs at
/// once. Throws what `f` throws. Constant time.
///
/// Not for several pools at once: it isolates the thread as a worker of the pool in which it works.
/// If `f` waits for a value (`async`, `posted_group`) of another pool in which the thread also
/// works, further out, or, under policies other than `private_deque`, of any other pool, it may run
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
