// A tile program for runtimes that only know fork and join.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "programs/spawn/workloads/tile_job.hpp"

namespace fg::bench {

/// The tasks in waves: those of one wave do not depend on one another, and each wave directly
/// follows the one that ran the last of its dependences. In a factorisation, the steps between two
/// joins.
inline std::vector<std::vector<std::uint32_t>> tile_waves(const tiles::program& program) {
  std::vector<std::uint32_t> wave_of(program.tasks.size());
  each_dependence(program, [&wave_of](std::uint32_t before, std::uint32_t after) {
    wave_of[after] = std::max(wave_of[after], wave_of[before] + 1);
  });
  std::vector<std::vector<std::uint32_t>> waves;
  for (std::uint32_t task = 0; task < wave_of.size(); ++task) {
    waves.resize(std::max<std::size_t>(waves.size(), wave_of[task] + 1));
    waves[wave_of[task]].push_back(task);
  }
  return waves;
}

}  // namespace fg::bench
