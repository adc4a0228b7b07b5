// Performing a random program, and checking what comes out of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "stress/random/plan.hpp"

namespace fg::test {

/// What the process has for a program.
struct resources {
  std::size_t stack_kib = 8192;  ///< of each thread
};

/// Performs the program on this thread and others, and checks its results. A wrong one is a line on
/// standard error and the end of the process, with `kWrong`: other threads may be anywhere.
void perform(const program& performed, const resources& has);

inline constexpr int kWrong = 3;

}  // namespace fg::test
