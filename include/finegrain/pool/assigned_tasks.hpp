// Tasks that one worker, and no other, has to run.
#pragma once

#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg {

/// A list with many givers and one taker, who takes all of it at once and keeps it: so no task can
/// come back to the top between a giver's load and its exchange unseen. Linked through the tasks.
class alignas(kCacheLineBytes) assigned_tasks {
 public:
  assigned_tasks() = default;
  assigned_tasks(const assigned_tasks&) = delete;
  assigned_tasks& operator=(const assigned_tasks&) = delete;

  /// Any thread. What was written before is visible to the taker. No locks, no allocation.
  void put(pool_task& task) noexcept {
    task.older = newest_.load(memory_order_relaxed);  // a guess, corrected by the exchange
    // Release: pairs with the acquire in take.
    while (!newest_.compare_exchange_weak(task.older, &task, memory_order_release,
                                          memory_order_relaxed)) {
    }
  }

  /// The task that was put first, null if there is none. The taker only. Linear in what was put
  /// since the list was empty.
  pool_task* take() noexcept {
    if (oldest_ == nullptr) {
      if (!has_task_guess()) {
        return nullptr;
      }
      reverse(newest_.exchange(nullptr, memory_order_acquire));  // pairs with put
    }
    return std::exchange(oldest_, oldest_->older);
  }

  /// Whether `take` would find one: on the taker's thread certain if its giver is ordered before.
  [[nodiscard]] bool has_task_guess() const noexcept {
    // Relaxed: take acquires. Who goes to sleep looks behind its heavy fence, and the giver
    // publishes before its light one (idle_workers, P1 and S2).
    return oldest_ != nullptr || newest_.load(memory_order_relaxed) != nullptr;
  }

 private:
  void reverse(pool_task* newest) noexcept {
    while (newest != nullptr) {
      pool_task* const next = std::exchange(newest->older, oldest_);
      oldest_ = std::exchange(newest, next);
    }
  }

  atomic<pool_task*> newest_{nullptr};
  pool_task* oldest_ = nullptr;  // the taker's; linked the other way
};

}  // namespace fg
