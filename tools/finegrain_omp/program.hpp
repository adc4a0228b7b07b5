// The program that the command runs, and the library that it gets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fg::omp_command {

struct program {
  std::string path;
  bool is_script = false;             ///< it names an interpreter, which is what runs
  std::vector<std::string> runtimes;  ///< file names of the OpenMP runtimes that it names
};

/// Finds `name` as a shell does, and checks whether the drop-in can serve it. Throws refusal if
/// not: no such program, for another machine, statically linked, with an OpenMP runtime linked into
/// it, or setuid, setgid or with capabilities (the dynamic linker then ignores LD_PRELOAD).
[[nodiscard]] program find_program(const std::string& name);

/// Returns the drop-in's absolute path: `path` or, if that is empty, its place beside this command;
/// `with_regions`: that of the one with regions of its own (FINEGRAIN_OMP=all).
/// Throws refusal if it is not there, is not for this machine, or LD_PRELOAD cannot name it.
[[nodiscard]] std::string find_library(const std::string& path, bool with_regions);

/// Returns the folder where that one has the native runtimes' names, for LD_LIBRARY_PATH. Throws
/// refusal if it is not there.
[[nodiscard]] std::string find_stand_in_folder();

}  // namespace fg::omp_command
