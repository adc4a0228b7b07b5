// The frame of a program: parses options, prints one line of JSON, or one line that describes the
// failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/frame/program_errors.hpp"

namespace fg::bench {

/// The two CPUs of a measurement.
struct cpu_pair_option {
  std::vector<int> cpus{0, 1};

  [[nodiscard]] int main() const { return cpus.at(0); }
  [[nodiscard]] int assistant() const { return cpus.at(1); }

  void add_to(CLI::App& app) {
    app.add_option("--cpus", cpus, "MAIN,ASSISTANT")
        ->delimiter(',')
        ->expected(2)
        ->check(CLI::NonNegativeNumber);
  }
};

/// Parses the arguments, calls `measure()`, prints the JSON that it returns. Returns the exit
/// status described in bench/README.md.
template <class Measure>
int run_program(const char* name, CLI::App& app, int argc, char** argv, Measure measure) {
  const auto fail = [name](const char* why, int status) {
    std::fprintf(stderr, "%s: %s\n", name, fg::detail::one_line(why).c_str());
    return status;
  };
  try {
    app.parse(argc, argv);
    const nlohmann::ordered_json line = measure();
    std::puts(line.dump().c_str());
    return 0;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), 2);
  } catch (const wrong_arguments& error) {
    return fail(error.what(), 2);
  } catch (const wrong_result& error) {
    return fail(error.what(), 3);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace fg::bench
