// The frame of a program: parses options, prints one line of JSON, or one line that describes the
// failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "programs/frame/options.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/frame/program_errors.hpp"

namespace fg::bench {

/// The two CPUs of a measurement.
struct cpu_pair_option {
  std::vector<int> cpus{0, 1};

  [[nodiscard]] int main() const { return cpus.at(0); }
  [[nodiscard]] int assistant() const { return cpus.at(1); }

  void add_to(options& app) {
    app.add("--cpus", cpus, "MAIN,ASSISTANT").comma_separated().expected(2).non_negative();
  }
};

/// Parses the arguments, calls `measure()`, prints the JSON that it returns. Returns the exit
/// status described in bench/README.md.
int run_program(const char* name, options& app, int argc, char** argv,
                const std::function<nlohmann::ordered_json()>& measure);

}  // namespace fg::bench
