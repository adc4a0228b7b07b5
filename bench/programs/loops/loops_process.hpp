// The process around one measurement: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/fork_join/runtime.hpp"
#include "programs/loops/timed_loops.hpp"

namespace fg::bench {

/// What the process needs to know about its runtime.
struct loops_runtime {
  std::string name;
  std::string version;
  /// From where its loops are called, the default first.
  std::vector<std::string> calls;
  /// Starts the runtime on the two CPUs, lets it measure its loop, and shuts it down.
  std::function<void(cpu_pair, std::string_view calls, timed_loops&)> measure;
};

/// Parses the arguments, measures, and prints the JSON object. Returns the exit status described in
/// bench/README.md.
int loops_main(int argc, char** argv, const loops_runtime& runtime);

}  // namespace fg::bench
