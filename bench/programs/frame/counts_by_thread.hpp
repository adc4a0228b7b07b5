// The tasks of a run by thread: counts them, checks them, and derives figures from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"

namespace fg::bench {

inline std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// The number of tasks that each thread ran, one number per thread, at the same index every time
/// unless the runtime changes its threads. Throws wrong_result unless there were `tasks` tasks, if
/// that is known, on at most `threads` threads.
inline std::vector<std::uint64_t> counts_by_thread(std::optional<std::uint64_t> tasks,
                                                   std::size_t threads) {
  std::vector<std::uint64_t> counts = thread_census::counts();
  const std::uint64_t sum = sum_of(counts);
  if (sum != tasks.value_or(sum)) {
    throw wrong_result(std::to_string(sum) + " tasks ran, not " + std::to_string(*tasks));
  }
  if (counts.size() > threads) {  // a runtime may have ended threads, and started others
    std::erase(counts, 0U);
  }
  if (counts.size() > threads) {
    throw wrong_result("tasks ran on " + std::to_string(counts.size()) + " threads, not " +
                       std::to_string(threads));
  }
  counts.resize(threads);  // adds the threads that never had a task
  return counts;
}

/// Tasks that did not run on the busiest thread. Requires at least one thread.
inline std::uint64_t tasks_elsewhere(const std::vector<std::uint64_t>& counts) {
  return sum_of(counts) - *std::ranges::max_element(counts);
}

/// The same as a share of all tasks. Requires at least one task.
inline double offloaded_share(const std::vector<std::uint64_t>& counts) {
  return static_cast<double>(tasks_elsewhere(counts)) / static_cast<double>(sum_of(counts));
}

/// The tasks of `run()` by thread, each of which counts itself: `tasks` in total, if that is known;
/// throws like counts_by_thread. If there are `others`, other threads that may take part, it
/// repeats the run for a while until one did: a busy host may keep them out of several runs.
template <class Run>
std::vector<std::uint64_t> count_run(std::optional<std::uint64_t> tasks, std::size_t threads,
                                     bool others, const Run& run) {
  constexpr std::chrono::milliseconds kTime{500};
  const auto end = std::chrono::steady_clock::now() + kTime;
  std::vector<std::uint64_t> counts;
  do {
    thread_census::begin();
    run();
    counts = counts_by_thread(tasks, threads);
  } while (tasks_elsewhere(counts) == 0 && others && std::chrono::steady_clock::now() < end);
  return counts;
}

}  // namespace fg::bench
