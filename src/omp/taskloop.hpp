// How a taskloop is cut into tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace fg::omp {

/// What the construct says about its tasks.
enum class loop_schedule : std::uint8_t {
  none,
  grainsize,  ///< at least so many iterations a task, and less than twice as many
  num_tasks
};

/// Tasks 0 to `tasks` - 1: the first `longer` of them have `iterations` + 1 iterations, the others
/// `iterations`; the last one may have fewer with a strict grain size.
struct loop_cut {
  std::uint64_t tasks;
  std::uint64_t iterations;
  std::uint64_t longer;
};

/// Requires: trips > 0. `value`: the clause's; unused without a clause.
inline loop_cut cut_loop(std::uint64_t trips, loop_schedule schedule, std::uint64_t value,
                         bool strict, std::uint64_t threads) noexcept {
  // Without a clause: enough tasks for threads of unequal speed to end at about the same time.
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
