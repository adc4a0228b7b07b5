// The report of finegrain-info.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/hybrid/hybrid_cpus.hpp"

namespace fg::info {

/// Two CPUs that represent all pairs of this proximity.
struct example_pair {
  proximity kind;
  int main_cpu;
  int assistant_cpu;
};

/// A time measured several times, ns. If `most` is far from `least`, something else ran.
struct measured {
  double median;
  double least;
  double most;
};

/// Round trips between CPUs, ns: `matrix[i][j]` between `cpus[i]` and `cpus[j]`, empty if the two
/// are the same or cannot be used.
struct round_trips {
  std::vector<int> cpus;
  std::vector<std::vector<std::optional<double>>> matrix;
};

/// All that is known about this machine, and the relic and the hybrid pool that would run on it.
struct machine_report {
  host_view host;
  std::vector<int> allowed;
  placement pair;
  std::vector<example_pair> placements;
  std::vector<detail::hybrid_cpus> workers;
  std::optional<round_trips> round_trip_ns{};  ///< empty: not measured
  std::optional<measured> break_even_ns{};     ///< empty: not measured, or no assistant
};

/// Returns everything except the measurements. The calling thread is taken as the main thread; it
/// is not pinned.
[[nodiscard]] machine_report describe_machine();

/// Returns one pair of `allowed` per proximity that occurs, nearest first; of each, the pair with
/// the lowest numbers.
[[nodiscard]] std::vector<example_pair> find_example_pairs(const topology& cpus,
                                                           const std::vector<int>& allowed);

}  // namespace fg::info
