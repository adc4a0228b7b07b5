// The process around the kernels: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "programs/omp/cases.hpp"

namespace fg::bench {

/// The differences between the programs.
struct omp_program {
  std::string runtime;
  std::string version;
  bool is_serial;  ///< the pragmas are ignored
  std::span<const omp_case> cases;
  std::size_t (*threads_of_a_region)();  ///< of an active region
};

/// Parses the arguments, measures, and prints one line of JSON. Returns the exit status described
/// in bench/README.md.
int omp_main(const omp_program& program, int argc, char** argv);

}  // namespace fg::bench
