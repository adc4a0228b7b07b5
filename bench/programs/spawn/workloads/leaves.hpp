// The return values of the leaves of a fib tree, so that one tree serves both timing and census.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "programs/frame/thread_census.hpp"

namespace fg::bench {

/// Leaves of fib itself.
struct fib_leaf {
  static std::uint64_t value(int n) { return static_cast<std::uint64_t>(n); }
};

/// The same, counted by thread. In a call, because after a wait or a spawn the task may be on
/// another thread, and the compiler does not know.
struct census_leaf {
  [[gnu::noinline]] static std::uint64_t value(int n) {
    thread_census::count();
    return fib_leaf::value(n);
  }
};

}  // namespace fg::bench
