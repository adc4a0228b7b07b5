// The environment that a program gets, with the drop-in and without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fg::omp_command {

/// Variables, as `NAME=value`.
class environment {
 public:
  /// This process's, without a drop-in that is preloaded already. Not while another thread changes
  /// the environment.
  environment();

  /// Its value, or empty.
  [[nodiscard]] std::string value_of(const std::string& name) const;
  void set(const std::string& name, const std::string& value);
  /// Puts the library before those that are preloaded already.
  void preload(const std::string& library);

  /// For execve. Valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

 private:
  std::vector<std::string> variables_;
};

}  // namespace fg::omp_command
