// The environment that a program gets, with or without the drop-in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fg::omp_command {

/// Environment variables, as `NAME=value`.
class environment {
 public:
  /// Copies this process's environment, without a drop-in that is already preloaded or found in
  /// LD_LIBRARY_PATH by the native runtimes' names. Requires: no other thread changes the
  /// environment meanwhile.
  environment();

  /// Returns the variable's value, or empty.
  [[nodiscard]] std::string value_of(const std::string& name) const;
  void set(const std::string& name, const std::string& value);
  /// Puts the library before those that are already preloaded.
  void preload(const std::string& library);

  /// For execve. Valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

 private:
  std::vector<std::string> variables_;
};

}  // namespace fg::omp_command
