// fib without cutoff, in forks: the smallest tree of tasks with a result that is easily checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/algorithm/pool/fork_join.hpp"

namespace fg::test {

inline std::int64_t forked_fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] =
      fork_join([n] { return forked_fib(n - 1); }, [n] { return forked_fib(n - 2); });
  return a + b;
}

}  // namespace fg::test
