// The places of this process: sets of CPUs that threads are bound to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu_set.hpp"
#include "machine.hpp"

namespace fg::omp::runtime {

/// What the environment asks for on this machine. Empty if threads are not bound.
struct place_table {
  std::vector<place> places{};
  std::vector<cpu_set> masks{};  ///< of each
  cpu_set at_start{};            ///< the CPUs that threads have that nobody has bound
};

/// Read at the first call, by which time the program may have set KMP_HW_SUBSET. Any thread.
const place_table& places() noexcept;

/// The CPUs that the process could use at the first call, when nobody has bound its threads, without
/// those that KMP_HW_SUBSET leaves out now. Throws std::bad_alloc.
std::vector<int> cpus_of_process();
/// How many these are: OpenMP's processors. At least 1. Throws std::bad_alloc.
int count_cpus_of_process();

}  // namespace fg::omp::runtime
