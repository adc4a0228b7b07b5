// Partitions a taskloop into tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace fg::omp {

/// The clause that sets the size or number of the tasks.
enum class loop_schedule : std::uint8_t {
  none,
  grainsize,  ///< at least so many iterations per task, and less than twice as many
  num_tasks
};

/// A partition into tasks 0 to `tasks` - 1: the first `longer` of them have `iterations` + 1
/// iterations, the others `iterations`; with a strict grain size the last may have fewer.
struct loop_cut {
  std::uint64_t tasks;
  std::uint64_t iterations;
  std::uint64_t longer;
};

/// Partitions a loop. Requires: trips > 0. `value`: the clause's argument; unused without a clause.
inline loop_cut cut_loop(std::uint64_t trips, loop_schedule schedule, std::uint64_t value,
                         bool strict, std::uint64_t threads) noexcept {
  // Without a clause: enough tasks for threads of unequal speed to finish at about the same time.
  constexpr std::uint64_t kTasksAThread = 10;
  if (schedule == loop_schedule::grainsize && strict) {
    const std::uint64_t grain = std::clamp<std::uint64_t>(value, 1, trips);
    return {.tasks = (trips - 1) / grain + 1, .iterations = grain, .longer = 0};
  }
  std::uint64_t tasks = 0;
  if (schedule == loop_schedule::grainsize) {
    tasks = trips / std::max<std::uint64_t>(value, 1);
  } else {
    tasks = schedule == loop_schedule::num_tasks ? value : threads * kTasksAThread;
  }
  tasks = std::clamp<std::uint64_t>(tasks, 1, trips);
  return {.tasks = tasks, .iterations = trips / tasks, .longer = trips % tasks};
}

}  // namespace fg::omp
