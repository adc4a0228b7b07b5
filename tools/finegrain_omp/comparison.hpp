// `--compare`: a program with the drop-in and without, in turns.
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
  std::string policy;  ///< what the drop-in is told, for the report
  int pairs = 0;
};

/// Runs the program once each way, then `pairs` times each way in alternating order, and prints on
/// stdout what is to be said of that; how far it is on stderr if that is a terminal. Returns the
/// exit status: 0, that of a run that failed, or 128 and the signal that ended it. Throws
/// std::system_error if the program cannot be started.
int compare(comparison_request request);

}  // namespace fg::omp_command
