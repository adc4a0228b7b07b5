// Pins a benchmark's threads to their CPUs, or reports that it cannot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// Pins the calling thread to `cpu`. Throws std::runtime_error if that fails: a sample taken on
/// another CPU than the requested one is invalid.
inline void require_cpu(int cpu) {
  if (const auto error = pin_this_thread(cpu)) {
    throw std::runtime_error("cannot run on CPU " + std::to_string(cpu) + ": " + error.message());
  }
}

/// Restricts the calling thread to `cpus`: a pool takes its workers' CPUs from those that its creator
/// may use. Throws std::runtime_error if it may not use all of them.
inline void use_only(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  static_cast<void>(sched_setaffinity(0, sizeof set, &set));  // omits CPUs that are not there
  const std::vector<int> usable = usable_cpus();
  for (const int cpu : cpus) {
    if (std::ranges::find(usable, cpu) == usable.end()) {
      throw std::runtime_error("cannot run on CPU " + std::to_string(cpu));
    }
  }
}

}  // namespace fg::bench
