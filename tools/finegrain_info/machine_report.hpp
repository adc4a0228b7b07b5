// What finegrain-info tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/hybrid/hybrid_cpus.hpp"

namespace fg::info {

/// Two CPUs that stand for all that are so near.
struct example_pair {
  proximity kind;
  int main_cpu;
  int assistant_cpu;
};

/// A time measured several times, ns. Where `most` is far from `least`, something else ran.
struct measured {
  double median;
  double least;
  double most;
};

/// Round trips between CPUs, ns: `matrix[i][j]` between `cpus[i]` and `cpus[j]`, empty where the
/// two are one, or can not be used.
struct round_trips {
  std::vector<int> cpus;
  std::vector<std::vector<std::optional<double>>> matrix;
};

/// All that is known of this machine, and the relic and the hybrid pool that would run on it.
struct machine_report {
  host_view host;
  std::vector<int> allowed;
  placement pair;
  std::vector<example_pair> placements;
  std::vector<detail::hybrid_cpus> workers;
  std::optional<round_trips> round_trip_ns{};  ///< empty: not measured
  std::optional<measured> break_even_ns{};     ///< empty: not measured, or no assistant
};

/// Everything but the measurements. The calling thread is the main one; it is not tied.
[[nodiscard]] machine_report describe_machine();

/// One pair of `allowed` a kind of nearness that there is, nearest first; the pair with the lowest
/// numbers.
[[nodiscard]] std::vector<example_pair> find_example_pairs(const topology& cpus,
                                                           const std::vector<int>& allowed);

}  // namespace fg::info
