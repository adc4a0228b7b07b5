// Counts the tasks of each thread, and records its CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "finegrain/core/cache_line.hpp"
#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Counts tasks by thread between `begin` and `counts`. Call those on threads that are ordered
/// before and after all the tasks.
class thread_census {
 public:
  static void begin() {
    const std::lock_guard guard{mutex};
    for (place& each : places) {
      each.tasks = 0;
    }
    kept_cpus.clear();
    ++number;
  }

  /// Called by a task, on any thread.
  static void count() {
    if (seen_in != number) [[unlikely]] {
      come_in();
    }
    ++own->tasks;
  }

  /// The number of tasks of each thread that ever ran one, in the order of their first tasks in the
  /// process: so a thread that ran none this time keeps its index.
  static std::vector<std::uint64_t> counts() {
    const std::lock_guard guard{mutex};
    std::vector<std::uint64_t> tasks;
    tasks.reserve(places.size());
    for (const place& each : places) {
      tasks.push_back(each.tasks);
    }
    return tasks;
  }

  /// The CPUs of the threads at their first task since `begin`.
  static const std::set<int>& cpus() { return kept_cpus; }

 private:
  struct alignas(kCacheLineBytes) place {
    std::uint64_t tasks = 0;
  };

  static void come_in() {
    const std::lock_guard guard{mutex};
    seen_in = number;
    if (own == nullptr) {
      own = &places.emplace_back();
    }
    kept_cpus.insert(current_cpu());
  }

  static inline std::mutex mutex;
  static inline std::deque<place> places;  // a deque, so that no element moves
  static inline std::set<int> kept_cpus;
  static inline std::uint64_t number = 0;  // written before the tasks of its count are spawned
  static inline thread_local std::uint64_t seen_in = 0;
  static inline thread_local place* own = nullptr;
};

}  // namespace fg::bench
