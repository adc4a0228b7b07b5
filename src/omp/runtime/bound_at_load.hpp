// What GNU's runtime has done to the initial thread before this library could.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace fg::omp::runtime {

/// A program that is linked with GNU's runtime loads it beside this library, which serves in its
/// place. It then binds the initial thread, which seems to have fewer CPUs than the process.
struct bound_at_load {
  std::vector<int>
      cpus{};   ///< of its places, ascending; empty if it is not there, or does not bind
  int all = 0;  ///< how many CPUs the process had before
};

/// Throws std::bad_alloc.
bound_at_load find_bound_at_load();

}  // namespace fg::omp::runtime
