// Tasks of a team that are in no thread's queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "finegrain/core/cache_line.hpp"
#include "task.hpp"

namespace fg::omp {

/// A searching thread's decision about a candidate.
enum class verdict : std::uint8_t {
  taken,
  refused,   ///< may not run here
  forgotten  ///< another thread has it already
};

/// A list that the threads of a team search before their queues. It holds tasks with a priority,
/// tasks that a waiting thread took from a queue but may not run itself (the task scheduling
/// constraint), and tasks that did not fit into a queue. Ordered by priority, highest first, then
/// by age, oldest first.
///
/// Guarded by a lock, because the search looks at the tasks' ancestors, which must stay alive
/// meanwhile. The list is short or empty, and checking for an empty one is a relaxed load. Any
/// thread may call any function.
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
    // Relaxed, here and in take: a hint; the lock orders everything else.
    count_.store(count_.load(memory_order_relaxed) + 1, memory_order_relaxed);
  }

  /// Takes the first task for which `accepts`, called under the lock, returns `taken`; drops those
  /// for which it returns `forgotten`. Linear.
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

  /// Relaxed: a hint. A thread that goes to sleep because of it executes a fence first.
  [[nodiscard]] bool has_any_guess() const noexcept {
    return count_.load(memory_order_relaxed) != 0;
  }

 private:
  std::mutex mutex_;
  pool_task* first_ = nullptr;  // linked by `older`, whatever their age
  alignas(kCacheLineBytes) atomic<std::size_t> count_{0};
};

}  // namespace fg::omp
