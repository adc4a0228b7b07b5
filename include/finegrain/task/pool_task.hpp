// What a pool's queues hold: tasks, and the regions that they belong to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// A region is what one call of `pool::run`, one posted task or one `isolate` spawns; this is its
/// number. A worker that waits within a task takes only tasks of its own region. 0 if regions are
/// not distinguished (pool/worker.hpp).
using region_id = std::uint64_t;

/// For a thread that takes tasks of all regions.
inline constexpr region_id kAnyRegion = ~region_id{0};

}  // namespace detail

/// A unit of work that is run once, by whichever worker takes it. The queues hold its address. The
/// code that made it knows what surrounds it and how long it lives: a forked branch is on the stack
/// of the thread that waits for it, a task of a group in a block of its worker's pool.
///
/// Two words. The routine, which is replaced by the outcome once it has finished, so that a forked
/// branch that no other worker took needs no completion flag; and a link for the task's queue.
struct pool_task {
  using routine_type = void (*)(pool_task&) noexcept;

  /// Written before the task is pushed (relaxed: the queue orders it before the taker's load), and
  /// afterwards by the thread that ran it (its own comment says how).
  atomic<routine_type> routine;

  /// Belongs to the queue's owner while the task is in a queue that links its tasks.
  pool_task* older;

  /// Runs the task. Requires: the caller has taken it from a queue, and no other thread will.
  /// The load is relaxed: the queue that gave the task to the caller has ordered it.
  void run() noexcept { routine.load(memory_order_relaxed)(*this); }
};

}  // namespace fg::inline FINEGRAIN_ABI
