// Times a batch, checks it, and chooses its size, independently of its content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "programs/spawn/spawn_runtime.hpp"

namespace fg::bench {

struct batch_plan {
  std::size_t threads = 1;
  int batches = 5;
  int batch_ms = 30;  ///< the least time of a batch, if its size can be chosen
};

/// The time of `work()` alone, ns. Its result goes to `check`, which throws if it is wrong.
template <class Work, class Check>
double checked_ns(const Work& work, const Check& check) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = work();
  const auto end = std::chrono::steady_clock::now();
  check(result);
  return std::chrono::duration<double, std::nano>(end - start).count();
}

/// Runs a batch of `tasks` tasks untimed, then the timed ones. `batch()` runs, checks and returns
/// the time, ns. Returns the time per task of each batch; work done by other processes counts as
/// done.
template <class Batch>
std::vector<double> ns_per_task(const batch_plan& plan, const task_runner& runner,
                                std::uint64_t tasks, const Batch& batch) {
  batch();  // warms the caches and allocates the memory
  std::vector<double> ns;
  ns.reserve(static_cast<std::size_t>(plan.batches));
  for (int i = 0; i < plan.batches; ++i) {
    const std::uint64_t before = runner.done_beside();
    const double batch_ns = batch();
    const std::uint64_t beside = runner.done_beside() - before;
    ns.push_back(batch_ns / static_cast<double>(tasks + beside));
  }
  return ns;
}

/// The least size with which `batch(size)` takes the time of a batch, of those from `least` on that
/// `next(size)` gives; or the first one from `greatest` on. The shorter of two runs counts, because
/// in one of them the threads may have had to wake up.
template <class Size, class Next, class Batch>
Size fitting_size(const batch_plan& plan, Size least, Size greatest, const Next& next,
                  const Batch& batch) {
  Size size = least;
  while (size < greatest) {
    const double first_ns = batch(size);
    if (std::min(first_ns, batch(size)) >= 1e6 * plan.batch_ms) {
      break;
    }
    size = next(size);
  }
  return size;
}

}  // namespace fg::bench
