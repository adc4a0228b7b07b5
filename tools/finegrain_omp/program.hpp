// The program that the command runs, and the library that it gets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fg::omp_command {

struct program {
  std::string path;
  bool is_script = false;             ///< it names an interpreter, and that is what runs
  std::vector<std::string> runtimes;  ///< OpenMP's runtimes that it names, by their file names
};

/// Finds `name` as a shell does, and looks whether the drop-in can serve it. Throws refusal if not:
/// no such program, another machine's, statically linked or with a runtime of OpenMP's linked into
/// it, setuid, setgid or with capabilities (the dynamic linker then ignores LD_PRELOAD).
[[nodiscard]] program find_program(const std::string& name);

/// The drop-in's absolute path: `path`, or where it lies beside this command if that is empty.
/// Throws refusal if it is not there, is not for this machine, or LD_PRELOAD cannot name it.
[[nodiscard]] std::string find_library(const std::string& path);

}  // namespace fg::omp_command
