// The process around one measurement: its arguments, its output, its exit status (bench/README.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/fork_join/runtime.hpp"
#include "programs/periodic/answers.hpp"

namespace fg::bench {

/// What the process needs to know about its runtime.
struct periodic_runtime {
  std::string name;
  std::string version;
  /// How its threads can wait for the next tick, the default first.
  std::vector<std::string> waits;
  /// Starts the runtime, lets it measure, and shuts it down.
  std::function<void(cpu_pair, std::string_view waits, periodic_answers&)> measure;
};

/// Parses the arguments, measures, and prints the JSON object. Returns the exit status described in
/// bench/README.md.
int run_periodic_process(int argc, char** argv, const periodic_runtime& runtime);

/// The body of the `main` of a runtime that waits in one way only.
template <fork_join_runtime Runtime>
int periodic_main(int argc, char** argv) {
  return run_periodic_process(
      argc, argv,
      {.name = Runtime::kName,
       .version = Runtime::version(),
       .waits = {"default"},
       .measure = [](cpu_pair cpus, std::string_view /*waits*/, periodic_answers& answers) {
         Runtime::session(cpus, [&answers](auto& fork_join) { answers.measure(fork_join); });
       }});
}

}  // namespace fg::bench
