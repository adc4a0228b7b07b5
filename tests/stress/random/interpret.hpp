// Performs a random program, and checks its results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "stress/random/plan.hpp"

namespace fg::test {

/// The resources of the process for a program.
struct resources {
  std::size_t stack_kib = 8192;  ///< per thread
};

/// Performs the program on this thread and others, and checks its results. A wrong one prints a
/// line on standard error and ends the process with `kWrong`, because other threads may be
/// anywhere.
void perform(const program& performed, const resources& has);

inline constexpr int kWrong = 3;

}  // namespace fg::test
