// A queue for tasks from threads that are not workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A first-in-first-out queue for any number of threads. It uses a lock: it serves work from
/// outside, which is rare and coarse; a worker reads one word while it is empty. Linked through the
/// tasks, each link leading to the task put after it: no allocation.
class inbox {
 public:
  inbox() = default;
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  /// Any thread. Calls `published` while no thread can take the task yet: there the caller may
  /// still use objects whose lifetime the task ends.
  template <class Published = decltype([] {})>
  void put(pool_task& task, Published published = {}) noexcept {
    task.older = nullptr;
    const std::lock_guard lock{mutex_};
    if (newest_ == nullptr) {
      // Relaxed: a hint to look; the lock orders the tasks.
      oldest_.store(&task, memory_order_relaxed);
    } else {
      newest_->older = &task;
    }
    newest_ = &task;
    published();
  }

  /// The oldest task, null if there is none. Any thread.
  pool_task* take() noexcept {
    if (!has_work_guess()) {
      return nullptr;
    }
    const std::lock_guard lock{mutex_};
    // Relaxed, both: as in put.
    pool_task* const oldest = oldest_.load(memory_order_relaxed);
    if (oldest != nullptr) {
      oldest_.store(oldest->older, memory_order_relaxed);
      newest_ = oldest->older == nullptr ? nullptr : newest_;
    }
    return oldest;
  }

  /// Removes this task if it is still in the queue. Any thread. Linear in the tasks put before it.
  bool remove(const pool_task& task) noexcept {
    if (!has_work_guess()) {
      return false;
    }
    const std::lock_guard lock{mutex_};
    pool_task* before = nullptr;
    pool_task* each = oldest_.load(memory_order_relaxed);  // as in put
    while (each != nullptr && each != &task) {
      before = std::exchange(each, each->older);
    }
    if (each == nullptr) {
      return false;
    }
    if (before == nullptr) {
      oldest_.store(each->older, memory_order_relaxed);  // as in put
    } else {
      before->older = each->older;
    }
    if (newest_ == each) {
      newest_ = before;
    }
    return true;
  }

  /// Whether there may be a task; exact if ordered after the last put and take. Any thread.
  [[nodiscard]] bool has_work_guess() const noexcept {
    // Relaxed: a worker that goes to sleep looks after its heavy fence, and the thread that puts
    // publishes before its light one (idle_workers, P1 and S2); take looks again under the lock.
    return oldest_.load(memory_order_relaxed) != nullptr;
  }

 private:
  atomic<pool_task*> oldest_{nullptr};
  std::mutex mutex_;
  pool_task* newest_ = nullptr;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
