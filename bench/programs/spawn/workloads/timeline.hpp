// Records when each thread was busy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Records when tasks ran, by thread, between `begin` and `end`. Call those on threads that are
/// ordered before and after all the tasks.
///
/// A thread's tasks with less than a gap between them form one busy stretch, extended as they come.
/// A thread that has too many stretches doubles its gap and merges again, so the memory is bounded;
/// in the end all threads use the greatest gap of any. Merging first by a small gap and later by a
/// greater one gives the same result as merging by the greater one at once, so nothing is lost.
class timeline {
 public:
  /// A time in the ticks of `core/clock.hpp` since `begin`.
  struct stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct thread_record {
    int cpu;  ///< at its first task
    std::uint64_t tasks;
    std::vector<stretch> busy;
  };
  struct record {
    std::uint64_t wall_ticks;
    std::uint64_t gap_ticks;
    std::vector<thread_record> threads;  ///< those that had a task
  };

  static constexpr std::size_t kMostStretches = 20'000;  // per thread

  /// Requires `gap_ticks` > 0.
  static void begin(std::uint64_t gap_ticks) {
    const std::lock_guard guard{mutex};
    places.clear();
    first_gap = gap_ticks;
    ++number;
    start = ticks();
  }

  /// Called by a task, at its end; any thread.
  static void note(std::uint64_t task_begin, std::uint64_t task_end) {
    if (seen_in != number) [[unlikely]] {
      come_in();
    }
    own->add({since_start(task_begin), since_start(task_end)});
  }

  [[nodiscard]] static record end() {
    record whole{.wall_ticks = since_start(ticks()), .gap_ticks = first_gap, .threads = {}};
    const std::lock_guard guard{mutex};
    for (const place& each : places) {
      whole.gap_ticks = std::max(whole.gap_ticks, each.gap);
    }
    for (place& each : places) {
      merge(each.noted.busy, whole.gap_ticks);
      whole.threads.push_back(std::move(each.noted));
    }
    places.clear();
    return whole;
  }

 private:
  struct alignas(kCacheLineBytes) place {
    void add(stretch task) {
      ++noted.tasks;
      if (!noted.busy.empty() && task.begin < noted.busy.back().end + gap) {
        noted.busy.back().end = std::max(noted.busy.back().end, task.end);
        return;
      }
      noted.busy.push_back(task);
      while (noted.busy.size() > kMostStretches) {
        gap *= 2;
        merge(noted.busy, gap);
      }
    }

    std::uint64_t gap;
    thread_record noted;
  };

  // The counter may be read a few ticks out of program order, so a first task may seem to begin
  // before the start.
  static std::uint64_t since_start(std::uint64_t tick) { return tick > start ? tick - start : 0; }

  static void merge(std::vector<stretch>& busy, std::uint64_t gap) {
    std::size_t kept = 0;
    for (const stretch& each : busy) {
      if (kept > 0 && each.begin < busy[kept - 1].end + gap) {
        busy[kept - 1].end = std::max(busy[kept - 1].end, each.end);
      } else {
        busy[kept++] = each;
      }
    }
    busy.resize(kept);
  }

  static void come_in() {
    const std::lock_guard guard{mutex};
    seen_in = number;
    own = &places.emplace_back(first_gap, thread_record{current_cpu(), 0, {}});
    own->noted.busy.reserve(kMostStretches + 1);
  }

  static inline std::mutex mutex;
  static inline std::deque<place> places;  // a deque, so that no element moves
  // Written before the tasks are spawned.
  static inline std::uint64_t first_gap = 1;
  static inline std::uint64_t start = 0;
  static inline std::uint64_t number = 0;
  static inline thread_local std::uint64_t seen_in = 0;
  static inline thread_local place* own = nullptr;
};

}  // namespace fg::bench
