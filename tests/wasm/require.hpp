// What a test program without a framework requires.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

/// Counts what did not hold; a program returns it.
inline int failures = 0;

inline void require(bool holds, const char* what) {
  if (!holds) {
    std::printf("WRONG: %s\n", what);
    ++failures;
  }
}
