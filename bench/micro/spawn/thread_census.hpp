// Which thread ran how many tasks, and where.
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

/// Counts tasks by thread between `begin` and `counts`, which are for a thread that is ordered
/// before and behind all the tasks.
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

  /// For a task; any thread.
  static void count() {
    if (seen_in != number) [[unlikely]] {
      come_in();
    }
    ++own->tasks;
  }

  /// Tasks of each thread that ever had one, in the order of their first ones in the process: so a
  /// thread that had none this time keeps its place.
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
  static inline std::deque<place> places;  // none moves
  static inline std::set<int> kept_cpus;
  static inline std::uint64_t number = 0;  // written before the tasks of its count are spawned
  static inline thread_local std::uint64_t seen_in = 0;
  static inline thread_local place* own = nullptr;
};

}  // namespace fg::bench
