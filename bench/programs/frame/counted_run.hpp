// A run whose tasks are counted by thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "programs/frame/counts_by_thread.hpp"
#include "programs/frame/thread_census.hpp"

namespace fg::bench {

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
