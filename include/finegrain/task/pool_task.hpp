// What a pool's queues hold: tasks, and the regions that they belong to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// A region is what one call of `pool::run`, one posted task or one `isolate` spawns. A worker that
/// waits within a task takes tasks of its own region only, whose number this is; 0 where nobody
/// tells regions apart (pool/worker.hpp).
using region_id = std::uint64_t;

/// For whoever takes tasks of all regions.
inline constexpr region_id kAnyRegion = ~region_id{0};

}  // namespace detail

/// A piece of work that is run once, by whichever worker takes it. Its address travels through the
/// queues; who made it knows what surrounds it and how long it lives: a forked branch lies on the
/// stack of the one who waits for it, a task of a group in a block of its worker's pool.
///
/// Two words. The routine, and once that has finished what became of it, so that a forked branch
/// that nobody else took costs no completion flag; and a link for the queue that holds the task.
struct pool_task {
  using routine_type = void (*)(pool_task&) noexcept;

  /// Written before the task is pushed (relaxed: the queue orders it before the taker's load), and
  /// by whoever ran it afterwards (its own comment says how).
  atomic<routine_type> routine;

  /// Of the queue's owner, while the task is in a queue that links its tasks.
  pool_task* older;

  /// Runs the task. Requires: the caller has taken it from a queue; nobody else will.
  /// The load is relaxed: the queue that gave the task to the caller has ordered it.
  void run() noexcept { routine.load(memory_order_relaxed)(*this); }
};

}  // namespace fg::inline FINEGRAIN_ABI
