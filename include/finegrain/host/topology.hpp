// Which CPUs share a core, a cache, a package or a NUMA node: plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_SHARED_ABI {

/// One CPU as the system counts them (a hardware thread), and what it shares with others.
///
/// Cores and caches are named by their lowest CPU, so two CPUs share one exactly when its names are
/// equal and not -1; -1 means not known.
struct logical_cpu {
  int id = -1;
  int core = -1;
  int package = -1;  ///< the system's number of the processor package (socket)
  int l2 = -1;
  int l3 = -1;
  int numa_node = -1;
  int efficiency_class = 0;  ///< higher is faster; all 0 if the cores are alike

  bool operator==(const logical_cpu&) const = default;
};

/// Whether the cores run more than one thread.
enum class smt_state {
  unknown,
  on,
  off,  ///< supported by the processor, but switched off
  none  ///< not supported by the processor, as far as the system sees
};

/// The CPUs of a machine that are online, including those that this process may not use.
struct topology {
  std::vector<logical_cpu> cpus{};  ///< ascending by id
  smt_state smt = smt_state::unknown;
  std::string source{};  ///< where it is from: "sysfs", "hwloc 2.9.0"

  /// The CPU with this id, null if there is none. Logarithmic.
  [[nodiscard]] const logical_cpu* find(int id) const noexcept {
    const auto found =
        std::lower_bound(cpus.begin(), cpus.end(), id,
                         [](const logical_cpu& cpu, int than) { return cpu.id < than; });
    return found != cpus.end() && found->id == id ? &*found : nullptr;
  }

  /// True if some core has more than one CPU. Linear in the CPUs.
  [[nodiscard]] bool has_siblings() const noexcept {
    // A core is named by its lowest CPU, so each further CPU has an id that is not its core's name.
    return std::any_of(cpus.begin(), cpus.end(),
                       [](const logical_cpu& cpu) { return cpu.core >= 0 && cpu.core != cpu.id; });
  }
};

}  // namespace fg::inline FINEGRAIN_SHARED_ABI
