// Runs a tile program on a runtime that starts tasks but knows no dependences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/bots/tasks.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"

namespace fg::bench {

/// One task per chain: a task that has finished spawns the tasks that became ready, except for the
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
