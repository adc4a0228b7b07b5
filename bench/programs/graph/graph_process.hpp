// The process around one measurement: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/fork_join/runtime.hpp"
#include "programs/graph/timed_graphs.hpp"

namespace fg::bench {

/// Measures graphs that are built so, on the calling thread. Does not throw.
using measure_graphs = std::function<void(const build_graph&)>;

/// What the process needs to know about its runtime.
struct graph_runtime {
  std::string name;
  std::string version;
  /// In which its graphs can be written, the default first.
  std::vector<std::string> forms;
  /// Starts the runtime on the two CPUs, calls `measure` once, and shuts it down.
  std::function<void(cpu_pair, std::string_view form, const measure_graphs& measure)> session;
};

/// Parses the arguments, measures, and prints the JSON object. Returns the exit status described in
/// bench/README.md.
int graph_main(int argc, char** argv, const graph_runtime& runtime);

}  // namespace fg::bench
