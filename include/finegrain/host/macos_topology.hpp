// The topology as macOS describes it: how many CPUs of each kind there are, and how many share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::macos {

/// More CPUs than any Mac has. Whatever the system says, there are no more in a topology.
inline constexpr int kMostCpus = 1024;

/// The CPUs of one kind.
struct cpu_kind {
  int cpus = 0;
  int cores = 0;
  int cpus_per_l2 = 0;  ///< that share one; 0: not known
  int cpus_per_l3 = 0;
};

/// The number at `place` among those that `ask` returns for `name`; 0 if it is not there, or cannot
/// be meant.
template <class Ask>
int number(const Ask& ask, const std::string& name, std::size_t place = 0) {
  const std::vector<std::uint64_t> told = ask(name);
  return place < told.size() && told[place] <= kMostCpus ? static_cast<int>(told[place]) : 0;
}

/// The kinds of CPUs, the fastest first as macOS numbers them ("performance levels"). Before macOS
/// 12, and on Intel's processors, all are of one kind.
template <class Ask>
std::vector<cpu_kind> kinds_of_cpus(const Ask& ask) {
  std::vector<cpu_kind> kinds;
  const int levels = number(ask, "hw.nperflevels");
  for (int level = 0; level < levels; ++level) {
    const std::string of = "hw.perflevel" + std::to_string(level) + ".";
    kinds.push_back({.cpus = number(ask, of + "logicalcpu"),
                     .cores = number(ask, of + "physicalcpu"),
                     .cpus_per_l2 = number(ask, of + "cpusperl2"),
                     .cpus_per_l3 = number(ask, of + "cpusperl3")});
  }
  if (kinds.size() < 2) {
    // Also where there is one level: an Intel processor has its L3 cache only here. How many CPUs
    // share the memory, an L1, an L2, an L3 cache:
    const char* const sharing = "hw.cacheconfig";
    kinds = {{.cpus = number(ask, "hw.logicalcpu"),
              .cores = number(ask, "hw.physicalcpu"),
              .cpus_per_l2 = number(ask, sharing, 2),
              .cpus_per_l3 = number(ask, sharing, 3)}};
  }
  return kinds;
}

/// Adds the CPUs of one kind. What they share they share with neighbours.
inline void add_cpus(std::vector<logical_cpu>& cpus, const cpu_kind& kind, int efficiency_class) {
  const int first = static_cast<int>(cpus.size());
  const auto group = [first](int index, int of) {
    return of > 0 ? first + index / of * of : -1;  // named by its lowest CPU
  };
  const int threads = kind.cores > 0 ? std::max(kind.cpus / kind.cores, 1) : 0;
  const int count = std::min(kind.cpus, kMostCpus - first);
  for (int index = 0; index < count; ++index) {
    cpus.push_back({.id = first + index,
                    .core = group(index, threads),
                    .l2 = group(index, kind.cpus_per_l2),
                    .l3 = group(index, kind.cpus_per_l3),
                    .efficiency_class = efficiency_class});
  }
}

/// The topology from what sysctl says: `ask` is called with names, and returns the numbers of each,
/// none if the system does not know it. The CPUs' numbers are ours: macOS neither numbers them nor
/// says which thread runs where, so only what they share is true. Throws what `ask` throws.
template <class Ask>
topology make_topology(const Ask& ask) {
  topology made{.source = "macOS"};
  const std::vector<cpu_kind> kinds = kinds_of_cpus(ask);
  int efficiency_class = static_cast<int>(kinds.size());
  for (const cpu_kind& kind : kinds) {
    add_cpus(made.cpus, kind, --efficiency_class);
  }
  const int packages = number(ask, "hw.packages");
  const int cpus = static_cast<int>(made.cpus.size());
  for (logical_cpu& each : made.cpus) {
    each.package = packages > 0 ? each.id * packages / cpus : -1;
  }
  // Whether SMT is off or missing is not said.
  made.smt = made.has_siblings() ? smt_state::on : smt_state::unknown;
  return made;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::macos
