// The options of a program. Only options.cpp includes CLI11, which takes 11 s of a file's compile time
// (clang 19 -O3, EPYC).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): CLI11's names
namespace CLI {
class App;
class Option;
}  // namespace CLI
// NOLINTEND(readability-identifier-naming)

namespace fg::bench {

/// A reference to an option, valid as long as its `options`. Each function adds a condition, and
/// returns the same reference.
class option {
 public:
  explicit option(CLI::Option* of_app) : option_{of_app} {}

  option required();
  option needs(option other);
  option excludes(option other);
  /// A list of values in one word, with commas between them.
  option comma_separated();
  /// A list of exactly `number` values.
  option expected(int number);

  /// An integer from `least` to `most`, whose type is in the help.
  option in_range(int least, int most);
  option in_range(unsigned least, unsigned most);
  option in_range(std::uint64_t least, std::uint64_t most);
  option positive();
  option non_negative();
  option one_of(const std::vector<std::string>& values);
  option existing_file();
  /// A number from `least` to `most`. Unlike `positive` and `non_negative` it refuses NaN.
  option number_in(double least, double most);
  /// For `--spin-steps-per-us`, as `calibrate` prints it: hundreds.
  option spin_rate() { return number_in(1e-3, 1e6); }
  /// For a task's length in nanoseconds: up to 1000 s.
  option task_length_ns() { return number_in(0, 1e12); }

 private:
  CLI::Option* option_;
};

/// The options of a program, or of one of its subcommands. Copies refer to the same options.
class options {
 public:
  explicit options(const std::string& description);

  /// An option that sets `variable` when the arguments are parsed. T is one of the types for which
  /// options.cpp instantiates it.
  template <class T>
  option add(const char* name, T& variable, const char* help);
  /// A flag that sets `variable`, to false if `name` ends with {false}.
  option add_flag(const char* name, bool& variable, const char* help);
  /// An option whose value is passed to `function`, which may throw wrong_arguments.
  option add_function(const char* name, const std::function<void(const std::string&)>& function,
                      const char* help);

  /// A subcommand, of which the arguments may name one. The program's own options may follow it.
  options add_subcommand(const char* name, const char* help);
  /// Whether the arguments name this subcommand.
  [[nodiscard]] bool is_named() const;

  /// Sets the variables. Returns the help text if the arguments ask for it. Throws wrong_arguments.
  [[nodiscard]] std::optional<std::string> parse(int argc, char** argv);

 private:
  explicit options(std::shared_ptr<CLI::App> app);
  std::shared_ptr<CLI::App> app_;
};

}  // namespace fg::bench
