// Tasks that one particular worker has to run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A task that one worker has to run, and its region (task/pool_task.hpp).
struct assigned_task : pool_task {
  region_id region = 0;
};

/// A list with many producers and one consumer. The consumer takes the whole list at once and keeps
/// it, so no task can return to the top unseen between a producer's load and its exchange. Linked
/// through the tasks.
class alignas(kCacheLineBytes) assigned_tasks {
 public:
  assigned_tasks() = default;
  assigned_tasks(const assigned_tasks&) = delete;
  assigned_tasks& operator=(const assigned_tasks&) = delete;

  /// Any thread. What was written before is visible to the consumer. No locks, no allocation.
  void put(assigned_task& task) noexcept {
    // A guess, corrected by the exchange: a look would first get the line to read, then to write.
    task.older = nullptr;
    // Release: pairs with the acquire in collect.
    while (!newest_.compare_exchange_weak(task.older, &task, memory_order_release,
                                          memory_order_relaxed)) {
    }
  }

  /// The first task put among those of `region`; null if there is none. The consumer only. Linear
  /// in the number of tasks put.
  assigned_task* take(region_id region = kAnyRegion) noexcept {
    pool_task** const link = find(region);
    return link == nullptr ? nullptr
                           : static_cast<assigned_task*>(std::exchange(*link, (*link)->older));
  }

  /// Whether `take` would find one. The consumer only; certain if `put` is ordered before.
  [[nodiscard]] bool has_task(region_id region = kAnyRegion) noexcept {
    return find(region) != nullptr;
  }

 private:
  // The link to the first task of this region.
  pool_task** find(region_id region) noexcept {
    collect();
    for (pool_task** link = &oldest_; *link != nullptr; link = &(*link)->older) {
      if (region == kAnyRegion || static_cast<assigned_task*>(*link)->region == region) {
        return link;
      }
    }
    return nullptr;
  }

  // Appends the tasks that were put to those collected before.
  void collect() noexcept {
    // Relaxed: the exchange acquires. A worker that goes to sleep looks after its heavy fence, and
    // the producer publishes before its light one (idle_workers, P1 and S2).
    if (newest_.load(memory_order_relaxed) == nullptr) [[likely]] {
      return;
    }
    pool_task* newest = newest_.exchange(nullptr, memory_order_acquire);  // pairs with put
    pool_task* oldest = nullptr;
    while (newest != nullptr) {
      pool_task* const next = std::exchange(newest->older, oldest);
      oldest = std::exchange(newest, next);
    }
    pool_task** end = &oldest_;
    while (*end != nullptr) {
      end = &(*end)->older;
    }
    *end = oldest;
  }

  atomic<pool_task*> newest_{nullptr};
  pool_task* oldest_ = nullptr;  // the consumer's; linked the other way
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
