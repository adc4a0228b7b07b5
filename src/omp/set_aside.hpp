// Tasks of a team that are in no thread's queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "finegrain/core/cache_line.hpp"
#include "task.hpp"

namespace fg::omp {

/// What a thread that looks for a task says of a candidate.
enum class verdict : std::uint8_t {
  taken,
  refused,   ///< it may not run here
  forgotten  ///< another thread has it already
};

/// A list that the threads of a team search before their queues: tasks with a priority, tasks that
/// a waiting thread got from a queue but may not run itself (the task scheduling constraint), and
/// tasks that a queue had no room for. The highest priority first, then the oldest.
///
/// Guarded by a lock, because the search looks at the tasks' ancestors, which have to stay alive
/// meanwhile. The list is short or empty, and looking at an empty one is a relaxed load. All
/// functions: any thread.
class set_aside_tasks {
 public:
  void put(task& one) noexcept {
    const std::lock_guard hold{mutex_};
    pool_task** link = &first_;
    while (*link != nullptr && static_cast<task*>(*link)->priority >= one.priority) {
      link = &(*link)->older;
    }
    one.older = *link;
    *link = &one;
    // Relaxed, here and in take: a hint; the lock orders all else.
    count_.store(count_.load(memory_order_relaxed) + 1, memory_order_relaxed);
  }

  /// Takes the first task that `accepts`, called under the lock, says is `taken`; drops those that
  /// it says are `forgotten`. Linear.
  template <class Accepts>
  task* take(Accepts accepts) noexcept {
    const std::lock_guard hold{mutex_};
    for (pool_task** link = &first_; *link != nullptr;) {
      auto& one = static_cast<task&>(**link);
      pool_task* const next = one.older;
      const verdict found = accepts(one);
      if (found == verdict::refused) {
        link = &one.older;
        continue;
      }
      *link = next;
      count_.store(count_.load(memory_order_relaxed) - 1, memory_order_relaxed);
      if (found == verdict::taken) {
        return &one;
      }
    }
    return nullptr;
  }

  /// Relaxed: a hint. A thread that sleeps by it has a fence before it.
  [[nodiscard]] bool has_any_guess() const noexcept {
    return count_.load(memory_order_relaxed) != 0;
  }

 private:
  std::mutex mutex_;
  pool_task* first_ = nullptr;  // linked by `older`, whatever their age
  alignas(kCacheLineBytes) atomic<std::size_t> count_{0};
};

}  // namespace fg::omp
