// Where threads that are no workers leave tasks.
#pragma once

#include <deque>
#include <mutex>

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg {

/// A first-in-first-out queue for any number of threads. Locked: it serves work that comes from
/// outside, which is rare and coarse; a worker looks at one counter while it is empty.
class inbox {
 public:
  /// Any thread. Throws std::bad_alloc; then nothing was put.
  void put(pool_task& task) {
    const std::lock_guard lock{mutex_};
    tasks_.push_back(&task);
    // Relaxed: a hint to look; the lock orders the tasks.
    count_.store(tasks_.size(), memory_order_relaxed);
  }

  /// The oldest task, null if there is none. Any thread.
  pool_task* take() noexcept {
    if (!has_work_guess()) {
      return nullptr;
    }
    const std::lock_guard lock{mutex_};
    if (tasks_.empty()) {
      return nullptr;
    }
    pool_task* const oldest = tasks_.front();
    tasks_.pop_front();
    // Relaxed: as in put.
    count_.store(tasks_.size(), memory_order_relaxed);
    return oldest;
  }

  /// Whether there may be a task: exact for whoever is ordered behind the last put and take. Any
  /// thread.
  [[nodiscard]] bool has_work_guess() const noexcept {
    // Relaxed: whoever goes to sleep looks behind its heavy fence, and the putter publishes before
    // its light one (idle_workers, P1 and S2); take looks again under the lock.
    return count_.load(memory_order_relaxed) != 0;
  }

 private:
  atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::deque<pool_task*> tasks_;
};

}  // namespace fg
