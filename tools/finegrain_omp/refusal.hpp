// The error that ends the command before a program runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace fg::omp_command {

/// The statuses that a shell, env and timeout use: they distinguish the command's own failures from
/// the program's.
inline constexpr int kCommandFailed = 125;
inline constexpr int kCannotServe = 126;
inline constexpr int kNoSuchProgram = 127;

/// Exception with one line for the user and the command's exit status.
class refusal : public std::runtime_error {
 public:
  refusal(int status, const std::string& line) : std::runtime_error{line}, status_{status} {}
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_;
};

}  // namespace fg::omp_command
