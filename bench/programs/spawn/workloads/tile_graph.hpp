// Runs a tile program, by its dependence graph, on runtimes that know no dependences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "kernels/bots/tasks.hpp"
#include "kernels/tiles/tile_program.hpp"
#include "programs/spawn/workloads/tile_job.hpp"

namespace fg::bench {

/// The successors of each task, by number, and how many predecessors it still has to wait for.
///
/// Each task is handed out once: by `first`, or by the last `finish` that it waited for. Memory
/// order: what was written before those calls of `finish` is visible after the last one.
class tile_graph {
 public:
  explicit tile_graph(const tiles::program& program)
      : first_edge_(program.tasks.size(), kNone), missing_(program.tasks.size()) {
    edges_.reserve(kUsualEdges * program.tasks.size());
    each_dependence(program, [this](std::uint32_t before, std::uint32_t after) {
      append(before, after);
      // Relaxed: the runtime's own ordering passes the graph to the thread that runs a task.
      missing_[after].store(missing_[after].load(memory_order_relaxed) + 1, memory_order_relaxed);
    });
  }

  /// The tasks that wait for none, the last of the program first. Call it before any task runs.
  [[nodiscard]] std::vector<std::uint32_t> first() const {
    std::vector<std::uint32_t> found;
    for (auto task = static_cast<std::uint32_t>(first_edge_.size()); task-- > 0;) {
      if (missing_[task].load(memory_order_relaxed) == 0) {
        found.push_back(task);
      }
    }
    return found;
  }

  /// Call it once for each task, after it has run. Calls `start(task)` for each task that was only
  /// waiting for it, the last of the program first. Any thread.
  template <class Start>
  void finish(std::uint32_t task, const Start& start) {
    for (std::uint32_t at = first_edge_[task]; at != kNone; at = edges_[at].next) {
      const std::uint32_t after = edges_[at].after;
      if (is_last_before(missing_[after])) {
        start(after);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kUsualEdges = 3;  // those of a gemm's tiles

  struct edge {
    std::uint32_t after;
    std::uint32_t next;
  };

  void append(std::uint32_t before, std::uint32_t after) {
    edges_.push_back({.after = after, .next = first_edge_[before]});
    first_edge_[before] = static_cast<std::uint32_t>(edges_.size() - 1);
  }

  // Release: what this task wrote, for its successors; acquire: what the others wrote. The last
  // predecessor finds that by a load alone.
  static bool is_last_before(atomic<std::uint32_t>& missing) {
    return missing.load(memory_order_acquire) == 1 ||
           missing.fetch_sub(1, memory_order_acq_rel) == 1;
  }

  std::vector<std::uint32_t> first_edge_;  // by task
  std::vector<edge> edges_;
  std::vector<atomic<std::uint32_t>> missing_;
};

/// Runs that task, then the first in program order of those that became ready by it, and so on
/// until there is none. Calls `start(task)` for the others, the last of the program first: a worker
/// that takes its own newest task follows the program, where the long chains are, and others find
/// the work that is not urgent.
template <class Start>
void run_from(const tile_job& job, tile_graph& graph, std::uint32_t first, const Start& start) {
  std::optional<std::uint32_t> next = first;
  while (next) {
    const std::uint32_t task = *std::exchange(next, std::nullopt);
    job.run(task);
    graph.finish(task, [&](std::uint32_t ready) {
      if (next) {
        start(*next);
      }
      next = ready;
    });
  }
}

/// Runs a tile program on such a runtime, one task per chain: a task that has finished spawns the tasks that became ready, except for the
/// first in program order, with which it continues. Requires a group into which its own tasks may
/// spawn.
template <bots::task_handle Tasks>
class tile_run {
 public:
  tile_run(const tile_job& job, Tasks tasks) : job_{job}, graph_{job.program}, group_{tasks} {}

  /// Returns when all have run. Call it once, on the thread that constructed the object.
  void operator()() {
    for (const std::uint32_t task : graph_.first()) {
      spawn(task);
    }
    group_.wait();
  }

 private:
  void spawn(std::uint32_t task) {
    group_.spawn([this, task](Tasks) {
      run_from(job_, graph_, task, [this](std::uint32_t ready) { spawn(ready); });
    });
  }

  const tile_job& job_;
  tile_graph graph_;
  typename Tasks::group group_;
};

}  // namespace fg::bench
