// Times the loops of the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// Returns the time of `loop()`, a loop of so many tasks: nanoseconds per task.
template <class Loop>
double ns_per_task(std::uint64_t tasks, Loop&& loop) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  loop();
  const clock::time_point end = clock::now();
  return std::chrono::duration<double, std::nano>{end - start}.count() / static_cast<double>(tasks);
}

/// Returns the sample of a warm-up batch and `plan.batches` timed ones; `batch()` runs one and
/// returns its nanoseconds per task.
template <class Batch>
handoff_sample sample_of(const handoff_plan& plan, Batch&& batch) {
  handoff_sample sample{.ns = {}, .assistant_cpu = plan.assistant_cpu};
  static_cast<void>(batch());
  for (int i = 0; i < plan.batches; ++i) {
    sample.ns.push_back(batch());
  }
  return sample;
}

}  // namespace fg::bench
