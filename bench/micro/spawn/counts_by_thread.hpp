// What a census has counted, checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "micro/micro_program.hpp"
#include "micro/spawn/thread_census.hpp"

namespace fg::bench {

/// How many tasks each thread ran, as many numbers as threads; each one's at the same place every
/// time, unless the runtime changes its threads. Throws wrong_result unless there were `tasks`
/// tasks, on at most `threads` threads.
inline std::vector<std::uint64_t> counts_by_thread(std::uint64_t tasks, std::size_t threads) {
  std::vector<std::uint64_t> counts = thread_census::counts();
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (sum != tasks) {
    throw wrong_result(std::to_string(sum) + " tasks ran, not " + std::to_string(tasks));
  }
  if (counts.size() > threads) {  // a runtime may have ended threads, and started others
    std::erase(counts, 0U);
  }
  if (counts.size() > threads) {
    throw wrong_result("tasks ran on " + std::to_string(counts.size()) + " threads, not " +
                       std::to_string(threads));
  }
  counts.resize(threads);  // those that never had a task
  return counts;
}

/// Tasks that did not run on the busiest thread. Requires a thread.
inline std::uint64_t tasks_elsewhere(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) -
         *std::ranges::max_element(counts);
}

}  // namespace fg::bench
