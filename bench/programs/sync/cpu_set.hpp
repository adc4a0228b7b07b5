// Restricts a thread to a set of CPUs, for when it cannot have one of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace fg::bench {

/// Lets the calling thread run on these CPUs only. Throws std::runtime_error, unlike the system
/// also if only some of them are not available.
inline void require_cpus(const std::vector<int>& cpus) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int cpu : cpus) {
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu < CPU_SETSIZE) {
      CPU_SET(static_cast<std::size_t>(cpu), &one);
    }
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
      throw std::runtime_error("cannot run on CPU " + std::to_string(cpu) + ": " +
                               std::generic_category().message(errno));
    }
    CPU_SET(static_cast<std::size_t>(cpu), &all);
  }
  if (sched_setaffinity(0, sizeof all, &all) != 0) {
    throw std::runtime_error("can not run on all of the CPUs: " +
                             std::generic_category().message(errno));
  }
}

}  // namespace fg::bench
