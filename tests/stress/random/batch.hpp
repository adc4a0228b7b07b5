// Many programs, in children of this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "stress/random/interpret.hpp"
#include "stress/random/plan.hpp"

namespace fg::test {

/// Which programs to perform, and how.
struct batch_plan {
  std::uint64_t first_seed = 1;
  std::uint64_t programs = 1;
  feature_set features = feature_set::usual();
  resources has;
  std::chrono::milliseconds patience{20'000};  ///< with one program
  bool keep_going = false;                     ///< after a program that failed
  bool hold = false;                           ///< a process that hangs stays, for a debugger
  std::string switches;                        ///< of the command line, to repeat a program
};

/// Performs the programs in children, a hundred each, and watches them: one that hangs, crashes or
/// gives a wrong result is shown, with its seed. Returns the exit code: 0, 1 for a wrong result or
/// a crash, 2 for a hang, 130 when interrupted. Requires: no other thread.
int perform_all(const batch_plan& plan);

}  // namespace fg::test
