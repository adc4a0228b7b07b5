// The process around one measurement: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "programs/fork_join/runtime.hpp"
#include "programs/pipeline/timed_runs.hpp"

namespace fg::bench {

/// Measures runs on the calling thread. Does not throw.
using measure_runs = std::function<void(const run_tokens&)>;

/// What the process needs to know about its runtime.
struct pipeline_runtime {
  std::string name;
  std::string version;
  /// Starts the runtime on the two CPUs, makes a pipeline of the stages, calls `measure` once, and shuts
  /// it down.
  std::function<void(cpu_pair, token_stages&, const measure_runs& measure)> session;
};

/// Parses the arguments, measures, and prints the JSON object. Returns the exit status described in
/// bench/README.md.
int pipeline_main(int argc, char** argv, const pipeline_runtime& runtime);

}  // namespace fg::bench
