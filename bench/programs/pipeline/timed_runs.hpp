// The timed part: a pipeline on a runtime, run again and again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "programs/pipeline/token_stages.hpp"

namespace fg::bench {

/// Passes the tokens of a run through the stages, and returns when the last one has left.
using run_tokens = std::function<void()>;

struct token_plan {
  std::uint64_t tokens = 1;  ///< of a run
  int runs = 1;
  std::chrono::nanoseconds warmup{0};
};

struct token_result {
  std::vector<double> ns;  ///< of a token, a number a run
  double elsewhere = 0;    ///< share of the stages' calls on another CPU than the calling thread's
  std::set<int> cpus;      ///< where stages were called
};

/// Warms up, times the runs, and sees in one more where the stages are called. Every run is checked:
/// throws wrong_result.
[[nodiscard]] token_result timed_runs(const token_plan& plan, token_stages& stages,
                                      const run_tokens& run);

}  // namespace fg::bench
