// Which threads ran the tasks: the part of a case's line that says so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "programs/frame/counts_by_thread.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/cases/batches.hpp"
#include "programs/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// That part of the line, from one run in addition to the timed ones: of `run()`, as in count_run.
/// If a process beside has done its part there are no other threads.
template <class Run>
nlohmann::ordered_json census_line(const batch_plan& plan, const task_runner& runner,
                                   std::optional<std::uint64_t> tasks, const Run& run) {
  const bool others = plan.threads > 1 && runner.done_beside() == 0;
  const std::vector<std::uint64_t> counts = count_run(tasks, plan.threads, others, run);
  return {{"offloaded_share", offloaded_share(counts)},
          {"tasks_by_thread", nlohmann::ordered_json::array({counts})},
          {"cpus", thread_census::cpus()}};
}

}  // namespace fg::bench
