// The main program of a protocol's model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/explorer.hpp"
#include "checker/scenario.hpp"

namespace model {

/// One use of a protocol by a fixed number of threads.
struct scenario {
  std::string name;
  std::string property;  ///< required of each execution, in addition to: no data race, no use
                         ///< after free, no leak, no thread that waits forever
  std::function<void()> run;
  explorer::limits bound{};
};

/// Explores the scenarios one after the other and prints for each what was explored. Returns the
/// status of the program: 0, or 1 after a violation, whose execution it prints. Options: `--places
/// FILE` (writes the source locations of the explored operations), and a part of a scenario's name.
int check_protocol(const std::string& protocol, const std::vector<scenario>& scenarios, int argc,
                   char** argv);

}  // namespace model
