// The process around one sample: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "programs/fork_join/runtime.hpp"
#include "programs/relic_kernels/sample.hpp"

namespace fg::bench {

/// What a sample's process needs to know about its runtime.
struct runtime_description {
  std::string name;
  std::string version;
  /// Starts the runtime, lets it measure the sample, and shuts it down.
  std::function<void(cpu_pair, sample&)> measure;
};

/// Parses the arguments, measures, and prints the JSON object. Returns the exit status described in
/// bench/README.md.
int run_sample_process(int argc, char** argv, const runtime_description& runtime);

/// The body of an adapter's `main`.
template <fork_join_runtime Runtime>
int sample_main(int argc, char** argv) {
  return run_sample_process(argc, argv,
                            {.name = Runtime::kName,
                             .version = Runtime::version(),
                             .measure = [](cpu_pair cpus, sample& s) {
                               Runtime::session(cpus,
                                                [&s](auto& fork_join) { s.measure(fork_join); });
                             }});
}

}  // namespace fg::bench
