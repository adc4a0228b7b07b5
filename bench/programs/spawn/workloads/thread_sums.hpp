// A sum split into one part per thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "finegrain/core/cache_line.hpp"

namespace fg::bench {

/// For tasks that add to one sum without returning anything: each adds to its thread's part. Only
/// one sum at a time per kind of walk; call `begin` and `total` on threads that are ordered before
/// and after all the tasks. `Walk` has a `result` (walk.hpp).
template <class Walk>
class thread_sums {
 public:
  using result = typename Walk::result;

  static void begin() {
    const std::lock_guard guard{mutex};
    parts.clear();
    ++number;
  }

  /// The calling thread's part. Use it at once: after a wait the task may be on another thread.
  static result& own() {
    if (seen_in != number) [[unlikely]] {
      come_in();
    }
    return mine->sum;
  }

  [[nodiscard]] static result total() {
    const std::lock_guard guard{mutex};
    result whole{};
    for (const part& each : parts) {
      whole += each.sum;
    }
    return whole;
  }

 private:
  struct alignas(kCacheLineBytes) part {
    result sum{};
  };

  static void come_in() {
    const std::lock_guard guard{mutex};
    seen_in = number;
    mine = &parts.emplace_back();
  }

  static inline std::mutex mutex;
  static inline std::deque<part> parts;    // a deque, so that no element moves
  static inline std::uint64_t number = 0;  // written before the tasks are spawned
  static inline thread_local std::uint64_t seen_in = 0;
  static inline thread_local part* mine = nullptr;
};

/// Adds a node to the calling thread's part. In a call of its own: a task that has waited may be on
/// another thread, which the compiler does not know, so it might keep the address of the first
/// part.
template <class Walk>
[[gnu::noinline]] void visit_in_call(const Walk& walk, const typename Walk::node& at,
                                     std::uint32_t children) {
  walk.visit(at, children, thread_sums<Walk>::own());
}

/// Runs `tasks()`, which returns when all have ended, and returns the sum that they have added.
template <class Walk, class Tasks>
typename Walk::result summed(const Tasks& tasks) {
  thread_sums<Walk>::begin();
  tasks();
  return thread_sums<Walk>::total();
}

}  // namespace fg::bench
