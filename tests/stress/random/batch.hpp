// Runs many programs in child processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "stress/random/interpret.hpp"
#include "stress/random/plan.hpp"

namespace fg::test {

/// Which programs to run, and how.
struct batch_plan {
  std::uint64_t first_seed = 1;
  std::uint64_t programs = 1;
  feature_set features = feature_set::usual();
  resources has;
  std::chrono::milliseconds patience{20'000};  ///< per program
  bool keep_going = false;                     ///< after a program that failed
  bool hold = false;                           ///< a process that hangs is kept for a debugger
  std::string switches;                        ///< of the command line, to repeat a program
};

/// Runs the programs in children, a hundred each, and watches them: prints a program that hangs,
/// crashes or gives a wrong result, with its seed. Returns the exit code: 0, 1 for a wrong result
/// or a crash, 2 for a hang, 130 when interrupted. Requires: no other thread.
int perform_all(const batch_plan& plan);

}  // namespace fg::test
