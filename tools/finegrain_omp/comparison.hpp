// `--compare`: runs a program with the drop-in and without, in turn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "finegrain_omp/environment.hpp"

namespace fg::omp_command {

struct comparison_request {
  std::string path;
  std::vector<std::string> arguments;  ///< the first is the program's name
  environment without;
  environment with;
  std::string policy;  ///< the drop-in's policy, for the report
  int pairs = 0;
};

/// Runs the program once each way, then `pairs` times each way in alternating order, and prints the
/// result on stdout, and progress on stderr if that is a terminal. Returns the exit status: 0, that
/// of a run that failed, or 128 plus the signal that ended it. Throws std::system_error if the
/// program cannot be started.
int compare(comparison_request request);

}  // namespace fg::omp_command
