// Times in ticks, as the programs print them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "finegrain/core/clock.hpp"
#include "programs/sync/cycle_timer.hpp"

namespace fg::bench {

/// These times in cycles and in ns, and the rates between them.
inline nlohmann::ordered_json cycle_json(const std::vector<double>& ticks) {
  std::vector<double> cycles;
  std::vector<double> ns;
  for (const double each : ticks) {
    cycles.push_back(each * cycle_timer::cycles_per_tick());
    ns.push_back(each / ticks_per_ns());
  }
  return {{"cycles", cycles},
          {"ns", ns},
          {"ticks_per_ns", ticks_per_ns()},
          {"cycles_per_tick", cycle_timer::cycles_per_tick()}};
}

}  // namespace fg::bench
