// The process around one sample: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "programs/relic_kernels/runtime.hpp"
#include "programs/relic_kernels/sample.hpp"

namespace fg::bench {

/// A kernel's result differs from its independent check.
class wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a sample's process needs to know about its runtime.
struct runtime_description {
  std::string name;
  std::string version;
  /// Starts the runtime, lets it measure the sample, and shuts it down.
  std::function<void(cpu_pair, sample&)> measure;
};

/// Parses the arguments, measures, prints the JSON object. Returns the exit status; reports every
/// error as one line on standard error.
int run_sample_process(int argc, char** argv, const runtime_description& runtime) noexcept;

/// The body of an adapter's `main`.
template <fork_join_runtime Runtime>
int sample_main(int argc, char** argv) noexcept {
  return run_sample_process(argc, argv,
                            {.name = Runtime::kName,
                             .version = Runtime::version(),
                             .measure = [](cpu_pair cpus, sample& s) {
                               Runtime::session(cpus,
                                                [&s](auto& fork_join) { s.measure(fork_join); });
                             }});
}

}  // namespace fg::bench
