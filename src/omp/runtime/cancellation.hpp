// What the threads of a region share to cancel it, or the loop or sections that they are in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../taskgroup.hpp"
#include "cancellable_barrier.hpp"
#include "finegrain/core/atomic.hpp"

namespace fg::omp::runtime {

struct implicit_part;

/// All flags are requests, which order nothing: relaxed. Threads look at them where OpenMP has
/// cancellation points.
class cancellation {
 public:
  [[nodiscard]] bool is_cancelled() const noexcept {
    return tasks_.cancelled.load(memory_order_relaxed);
  }
  /// Cancels the region. The caller then wakes those that sleep on the gates of its queues.
  void cancel() noexcept {
    tasks_.cancelled.store(true, memory_order_relaxed);
    barrier_.cancel();
  }

  [[nodiscard]] bool is_loop_cancelled() const noexcept { return loop_.load(memory_order_relaxed); }
  void cancel_loop() noexcept { loop_.store(true, memory_order_relaxed); }
  /// Called by the last thread at the barrier that ends the loop.
  void forget_loop() noexcept { loop_.store(false, memory_order_relaxed); }

  [[nodiscard]] cancellable_barrier& barrier() noexcept { return barrier_; }
  /// A group that has all tasks of the region and waits for none: tasks that have not begun are
  /// dropped with it.
  [[nodiscard]] taskgroup& tasks() noexcept { return tasks_; }

  /// Makes it ready for another region; returns whether anything was cancelled. Requires: no thread
  /// is in it.
  bool renew() noexcept {
    const bool was_used = is_cancelled() || is_loop_cancelled();
    if (was_used) {
      tasks_.cancelled.store(false, memory_order_relaxed);
      forget_loop();
    }
    barrier_.renew();
    return was_used;
  }

 private:
  cancellable_barrier barrier_;
  taskgroup tasks_{.outer = nullptr, .opened_by = nullptr};
  atomic<bool> loop_{false};
};

/// Whether the region of a thread's part is cancelled.
[[nodiscard]] bool is_region_cancelled(const implicit_part& part) noexcept;

/// LLVM's __kmpc_cancel and __kmpc_cancellationpoint, for what is no taskgroup.
std::int32_t cancel(void* where, std::int32_t gtid, std::int32_t kind) noexcept;
std::int32_t is_cancelled(void* where, std::int32_t gtid, std::int32_t kind) noexcept;

}  // namespace fg::omp::runtime
