// The timed loops of the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "finegrain/core/cache_line.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/handoff/contestant.hpp"
#include "programs/handoff/task_proof.hpp"
#include "programs/handoff/timed_batches.hpp"
#include "programs/handoff/value_carrier.hpp"
#include "programs/handoff/value_cases.hpp"
#include "programs/handoff/value_proof.hpp"

namespace fg::bench {

namespace detail {

/// The body of the timed tasks. Only the assistant touches it between two waits, so its line stays
/// there.
struct alignas(kCacheLineBytes) task_count {
  std::uint64_t ran = 0;
};

template <contestant C>
double time_bursts(C& contestant, const handoff_plan& plan) {
  task_count count;
  const auto task = [](void* counted) { ++static_cast<task_count*>(counted)->ran; };
  const std::uint64_t bursts = (plan.tasks + plan.burst - 1) / plan.burst;
  const std::uint64_t tasks = bursts * plan.burst;
  const double ns = ns_per_task(tasks, [&] {
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
      for (std::size_t i = 0; i < plan.burst; ++i) {
        contestant.submit(task, &count);
      }
      contestant.wait();
    }
  });
  if (count.ran != tasks) {
    throw wrong_result(std::to_string(count.ran) + " of " + std::to_string(tasks) + " tasks ran");
  }
  return ns;
}

template <class Case, value_carrier C>
double time_round_trips(C& carrier, const handoff_plan& plan) {
  assistants_count.number = 0;
  Case batch;
  const long tasks = static_cast<long>(plan.tasks);
  const double ns = ns_per_task(plan.tasks, [&] {
    for (long number = 1; number <= tasks; ++number) {
      batch.round_trip(carrier, number);
    }
  });
  long expected = 0;
  for (long number = 1; number <= tasks; ++number) {
    expected += Case::part_of(number);
  }
  if (batch.total() != expected) {
    throw wrong_result("the tasks gave " + std::to_string(batch.total()) + " in all, not " +
                       std::to_string(expected));
  }
  return ns;
}

}  // namespace detail

/// Measures a queue: a check, a warm-up batch, then `plan.batches` timed ones. Requires: the
/// calling thread is pinned to the main CPU. Throws wrong_result, std::runtime_error.
template <contestant C>
handoff_sample measure_contestant(const handoff_plan& plan) {
  C contestant{plan.assistant_cpu};
  require_tasks_in_order(contestant, plan.burst, plan.assistant_cpu);
  return sample_of(plan, [&] { return detail::time_bursts(contestant, plan); });
}

/// The same for tasks with values, each waited for.
template <class Case, value_carrier C>
  requires value_case_for<Case, C>
handoff_sample measure_values(const handoff_plan& plan) {
  C carrier{plan.assistant_cpu};
  require_values<Case>(carrier, plan.assistant_cpu);
  return sample_of(plan, [&] { return detail::time_round_trips<Case>(carrier, plan); });
}

/// The same for a floor, which carries no tasks.
template <class Floor>
handoff_sample measure_floor(const handoff_plan& plan) {
  Floor floor{plan.assistant_cpu};
  return sample_of(plan, [&] {
    return ns_per_task(plan.tasks, [&] {
      for (std::uint64_t i = 0; i < plan.tasks; ++i) {
        floor.round_trip();
      }
    });
  });
}

}  // namespace fg::bench
