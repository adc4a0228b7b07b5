// A program that checks one protocol.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/explorer.hpp"
#include "checker/scenario.hpp"

namespace model {

/// One use of a protocol by so and so many threads.
struct scenario {
  std::string name;
  std::string property;  ///< what is required of each execution, next to: no data race, no use
                         ///< after free, nothing leaked, nobody waits for ever
  std::function<void()> run;
  explorer::limits bound{};
};

/// Explores the scenarios one after the other and prints for each what was explored. The status of
/// the program: 0, or 1 after a violation, whose execution it prints. Options: `--places FILE`
/// (writes where the explored operations stand in the sources), and a part of a scenario's name.
int check_protocol(const std::string& protocol, const std::vector<scenario>& scenarios, int argc,
                   char** argv);

}  // namespace model
