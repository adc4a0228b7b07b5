// The timed loops of the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "finegrain/core/cache_line.hpp"
#include "programs/frame/program.hpp"
#include "programs/handoff/contestant.hpp"
#include "programs/handoff/task_proof.hpp"

namespace fg::bench {

/// What is measured.
struct handoff_plan {
  int assistant_cpu = 1;
  std::size_t burst = 1;  ///< tasks between two waits
  int batches = 10;
  std::uint64_t tasks = 10'000;  ///< per batch, rounded up to whole bursts
};

/// The measurements.
struct handoff_sample {
  std::vector<double> ns;  ///< per task, with its share of the wait; one number per batch
  int assistant_cpu = -1;  ///< where the tasks ran
};

namespace detail {

inline double ns_of(std::chrono::steady_clock::duration time, std::uint64_t count) {
  return std::chrono::duration<double, std::nano>{time}.count() / static_cast<double>(count);
}

/// The body of the timed tasks. Only the assistant touches it between two waits, so its line stays
/// there.
struct alignas(kCacheLineBytes) task_count {
  std::uint64_t ran = 0;
};

template <contestant C>
double time_batch(C& contestant, const handoff_plan& plan) {
  using clock = std::chrono::steady_clock;
  task_count count;
  const auto task = [](void* counted) { ++static_cast<task_count*>(counted)->ran; };
  const std::uint64_t bursts = (plan.tasks + plan.burst - 1) / plan.burst;
  const clock::time_point start = clock::now();
  for (std::uint64_t burst = 0; burst < bursts; ++burst) {
    for (std::size_t i = 0; i < plan.burst; ++i) {
      contestant.submit(task, &count);
    }
    contestant.wait();
  }
  const clock::time_point end = clock::now();
  if (count.ran != bursts * plan.burst) {
    throw wrong_result(std::to_string(count.ran) + " of " + std::to_string(bursts * plan.burst) +
                       " tasks ran");
  }
  return ns_of(end - start, count.ran);
}

}  // namespace detail

/// Measures a queue: a check, a warm-up batch, then `plan.batches` timed ones. Requires: the
/// calling thread is pinned to the main CPU. Throws wrong_result, std::runtime_error.
template <contestant C>
handoff_sample measure_contestant(const handoff_plan& plan) {
  C contestant{plan.assistant_cpu};
  require_tasks_in_order(contestant, plan.burst, plan.assistant_cpu);
  handoff_sample sample{.ns = {}, .assistant_cpu = plan.assistant_cpu};
  static_cast<void>(detail::time_batch(contestant, plan));
  for (int batch = 0; batch < plan.batches; ++batch) {
    sample.ns.push_back(detail::time_batch(contestant, plan));
  }
  return sample;
}

/// The same for a floor, which carries no tasks.
template <class Floor>
handoff_sample measure_floor(const handoff_plan& plan) {
  using clock = std::chrono::steady_clock;
  Floor floor{plan.assistant_cpu};
  handoff_sample sample{.ns = {}, .assistant_cpu = plan.assistant_cpu};
  for (int batch = -1; batch < plan.batches; ++batch) {  // the first one is the warm-up
    const clock::time_point start = clock::now();
    for (std::uint64_t i = 0; i < plan.tasks; ++i) {
      floor.round_trip();
    }
    const clock::time_point end = clock::now();
    if (batch >= 0) {
      sample.ns.push_back(detail::ns_of(end - start, plan.tasks));
    }
  }
  return sample;
}

}  // namespace fg::bench
