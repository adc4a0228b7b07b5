// Checks of options that several programs share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fg::bench {

/// Checks that an option is a number from `least` to `most`. CLI::Range accepts NaN, and a number
/// that no integer can hold would give an arbitrary value.
inline CLI::Validator number_in(double least, double most) {
  const auto fault_of = [least, most](const std::string& text) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && number >= least && number <= most
               ? ""
               : "'" + text + "' is no number from " + CLI::detail::to_string(least) + " to " +
                     CLI::detail::to_string(most);
  };
  return {fault_of, "NUMBER"};
}

/// For `--spin-steps-per-us`, as `calibrate` prints it: hundreds.
inline CLI::Validator spin_rate() { return number_in(1e-3, 1e6); }

/// For a task's length in nanoseconds: up to 1000 s.
inline CLI::Validator task_length_ns() { return number_in(0, 1e12); }

}  // namespace fg::bench
