// Runs a program once and times it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "finegrain_omp/environment.hpp"

namespace fg::omp_command {

/// How a program ended.
struct timed_run {
  double seconds = 0;   ///< from its start to its end
  int status = 0;       ///< as in a shell: 128 plus the number of a signal that ended it
  int interrupted = 0;  ///< the signal that this process got meanwhile: the program was ended
  std::string errors;   ///< what it wrote on stderr, the first 64 KiB
};

/// Runs programs one after another. During its lifetime the signals that end this process are
/// blocked; they end the running program instead. One object at a time, in a single-threaded
/// process.
class timed_runner {
 public:
  timed_runner();
  timed_runner(const timed_runner&) = delete;
  timed_runner& operator=(const timed_runner&) = delete;
  ~timed_runner();

  /// Runs a program to its end, in its own process group, without input, discarding its output.
  /// `arguments` begins with the program's name. Throws std::system_error if it cannot be started.
  timed_run run(const std::string& path, const std::vector<std::string>& arguments,
                environment& variables);

 private:
  sigset_t held_back_{};
  sigset_t before_{};
};

}  // namespace fg::omp_command
