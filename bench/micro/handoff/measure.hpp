// The timed loops of the hand-off experiment.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "finegrain/core/affinity.hpp"
#include "micro/handoff/contestant.hpp"
#include "micro/micro_program.hpp"

namespace fg::bench {

/// What to measure.
struct handoff_plan {
  int assistant_cpu = 1;
  std::size_t burst = 1;  ///< tasks between two waits
  int batches = 10;
  std::uint64_t tasks = 10'000;  ///< a batch
};

/// What came out.
struct handoff_sample {
  std::vector<double> ns;  ///< of a task, with its share of the wait; a number a batch
  int assistant_cpu = -1;  ///< where the tasks ran
};

namespace detail {

inline double ns_of(std::chrono::steady_clock::duration time, std::uint64_t count) {
  return std::chrono::duration<double, std::nano>{time}.count() / static_cast<double>(count);
}

inline std::uint64_t bursts_of(const handoff_plan& plan) {
  return (plan.tasks + plan.burst - 1) / plan.burst;
}

/// Shows that tasks run once each, in order, on the other CPU. Throws wrong_result.
template <contestant C>
int require_order(C& contestant, std::size_t burst) {
  struct numbered {
    task_ledger* ledger;
    std::uint64_t number;
  };
  task_ledger ledger;
  constexpr std::uint64_t kTasks = 1000;
  std::vector<numbered> arguments(kTasks);
  for (std::uint64_t i = 0; i < kTasks; ++i) {
    arguments[i] = {&ledger, i};
    contestant.submit(
        [](void* argument) {
          const auto* const task = static_cast<const numbered*>(argument);
          task->ledger->run(task->number);
          task->ledger->cpu = current_cpu();
        },
        &arguments[i]);
    if ((i + 1) % burst == 0) {
      contestant.wait();
    }
  }
  contestant.wait();
  if (ledger.next != kTasks || ledger.out_of_order != 0) {
    throw wrong_result(std::to_string(ledger.next) + " of " + std::to_string(kTasks) +
                       " tasks ran, " + std::to_string(ledger.out_of_order) + " out of order");
  }
  return ledger.cpu;
}

template <contestant C>
double time_batch(C& contestant, const handoff_plan& plan) {
  using clock = std::chrono::steady_clock;
  task_ledger ledger;
  const auto count = [](void* counted) { ++static_cast<task_ledger*>(counted)->next; };
  const std::uint64_t bursts = bursts_of(plan);
  const clock::time_point start = clock::now();
  for (std::uint64_t burst = 0; burst < bursts; ++burst) {
    for (std::size_t i = 0; i < plan.burst; ++i) {
      contestant.submit(count, &ledger);
    }
    contestant.wait();
  }
  const clock::time_point end = clock::now();
  if (ledger.next != bursts * plan.burst) {
    throw wrong_result(std::to_string(ledger.next) + " of " + std::to_string(bursts * plan.burst) +
                       " tasks ran");
  }
  return ns_of(end - start, ledger.next);
}

}  // namespace detail

/// Measures a queue: a warm-up batch, then `plan.batches` timed ones. Requires: the calling thread
/// is tied to the main CPU. Throws wrong_result, std::runtime_error.
template <contestant C>
handoff_sample measure_contestant(const handoff_plan& plan) {
  C contestant{plan.assistant_cpu};
  handoff_sample sample;
  sample.assistant_cpu = detail::require_order(contestant, plan.burst);
  if (sample.assistant_cpu != plan.assistant_cpu) {
    throw wrong_result("tasks ran on CPU " + std::to_string(sample.assistant_cpu));
  }
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
