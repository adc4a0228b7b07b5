// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "finegrain_omp/elf_facts.hpp"
#include "finegrain_omp/refusal.hpp"

namespace fg::omp_command {
namespace {

namespace fs = std::filesystem;

// The sonames: the names without a version are for linking.
constexpr std::string_view kLibraryName = FINEGRAIN_OMP_SONAME;
constexpr std::string_view kLibraryNameForAll = FINEGRAIN_OMP_ALL_SONAME;
// Relative to this command's folder: the same folder, the build folder, and as installed.
constexpr std::array<std::string_view, 3> kLibraryFolders{".", "../src/omp",
                                                          FINEGRAIN_LIBRARIES_FROM_COMMANDS};
constexpr const char* kThisCommand = "/proc/self/exe";
constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::array<std::string_view, 3> kRuntimes{"libomp", "libiomp5", "libgomp"};

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// A name without a slash is looked up in PATH, as by a shell.
fs::path look_up(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return name;
  }
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : kUsualPath;
  while (!name.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    // An empty part means the working directory.
    const fs::path candidate = fs::path{end == 0 ? "." : folders.substr(0, end)} / name;
    if (is_executable(candidate)) {
      return candidate;
    }
    if (end == folders.size()) {
      break;
    }
    folders.remove_prefix(end + 1);
  }
  throw refusal{kNoSuchProgram, "no program '" + name + "' in PATH"};
}

void refuse_what_cannot_run(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) {
    throw refusal{kNoSuchProgram, "no program '" + path.string() + "': " + std::strerror(errno)};
  }
  if (!S_ISREG(status.st_mode)) {
    throw refusal{kCannotServe, path.string() + " is no file that can be run"};
  }
  if (access(path.c_str(), X_OK) != 0) {
    throw refusal{kCannotServe, path.string() + " cannot be run: " + std::strerror(errno)};
  }
}

bool begins_with_interpreter_line(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::array<char, 2> begin{};
  file.read(begin.data(), begin.size());
  return file.gcount() == 2 && begin[0] == '#' && begin[1] == '!';
}

// The dynamic linker ignores LD_PRELOAD if the program gains privileges when it starts.
void refuse_if_privileged(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    throw refusal{kCannotServe,
                  path.string() + " is setuid or setgid: the system ignores LD_PRELOAD for it"};
  }
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    throw refusal{kCannotServe,
                  path.string() + " has file capabilities: the system ignores LD_PRELOAD for it"};
  }
}

elf_facts facts_of(int status, const fs::path& path, const char* use = "served") {
  try {
    return read_elf(path.string());
  } catch (const std::runtime_error& error) {
    throw refusal{status, path.string() + " cannot be " + use + ": " + error.what()};
  }
}

void refuse_if_unfit(const fs::path& path, const elf_facts& facts) {
  const elf_facts ours = facts_of(kCommandFailed, kThisCommand);
  const auto refuse = [&path](const std::string& why) {
    throw refusal{kCannotServe, path.string() + " cannot be served: " + why};
  };
  if (facts.machine != ours.machine) {
    refuse("it is for another kind of machine");
  }
  if (!facts.is_loadable) {
    refuse("it is no executable, but another kind of ELF file");
  }
  if (facts.interpreter.empty()) {
    refuse("it is statically linked, so nothing can be preloaded");
  }
  if (fs::path{facts.interpreter}.filename() != fs::path{ours.interpreter}.filename()) {
    refuse("its dynamic linker is another one, " + facts.interpreter);
  }
  if (!facts.runtime_entry_of_its_own.empty()) {
    refuse("OpenMP's runtime is linked into it (it defines " + facts.runtime_entry_of_its_own +
           ")");
  }
}

bool is_runtime(std::string_view library) {
  return std::ranges::any_of(kRuntimes, [library](std::string_view runtime) {
    return library.starts_with(runtime) && library.substr(runtime.size()).starts_with('.');
  });
}

fs::path folder_of_this_command() {
  std::error_code error;
  const fs::path command = fs::read_symlink(kThisCommand, error);
  if (error) {
    throw refusal{kCommandFailed, "cannot find this command's own path: " + error.message()};
  }
  return command.parent_path();
}

fs::path library_beside_this_command(std::string_view name) {
  const fs::path beside = folder_of_this_command();
  for (const std::string_view folder : kLibraryFolders) {
    if (fs::path candidate = beside / folder / name; fs::exists(candidate)) {
      return candidate;
    }
  }
  throw refusal{kCommandFailed, "no " + std::string{name} + " beside this command, in " +
                                    beside.string() + "; name it with --library"};
}

}  // namespace

program find_program(const std::string& name) {
  const fs::path path = look_up(name);
  refuse_what_cannot_run(path);
  if (begins_with_interpreter_line(path)) {
    return {.path = path.string(), .is_script = true, .runtimes = {}};
  }
  refuse_if_privileged(path);
  const elf_facts facts = facts_of(kCannotServe, path);
  refuse_if_unfit(path, facts);
  program found{.path = path.string(), .is_script = false, .runtimes = {}};
  std::ranges::copy_if(facts.needed, std::back_inserter(found.runtimes), is_runtime);
  return found;
}

std::string find_library(const std::string& path, bool with_regions) {
  const fs::path named =
      path.empty() ? library_beside_this_command(with_regions ? kLibraryNameForAll : kLibraryName)
                   : fs::path{path};
  std::error_code error;
  const fs::path library = fs::canonical(named, error);
  if (error) {
    throw refusal{kCommandFailed, "no library " + named.string() + ": " + error.message()};
  }
  // The dynamic linker treats these as separators and variables, and has no quoting.
  if (library.string().find_first_of(": $") != std::string::npos) {
    throw refusal{kCommandFailed, "LD_PRELOAD cannot name " + library.string() +
                                      ": it has a colon, space or dollar"};
  }
  const elf_facts facts = facts_of(kCommandFailed, library, "preloaded");
  if (!facts.is_loadable || facts.machine != facts_of(kCommandFailed, kThisCommand).machine) {
    throw refusal{kCommandFailed, library.string() + " is not a library for this machine"};
  }
  if (facts.soname != kLibraryName && facts.soname != kLibraryNameForAll) {
    throw refusal{kCommandFailed, library.string() + " is not the drop-in, " +
                                      std::string{kLibraryName} + ", but " +
                                      (facts.soname.empty() ? "has no name" : facts.soname)};
  }
  return library.string();
}

std::string find_stand_in_folder() {
  const fs::path folder =
      library_beside_this_command(kLibraryNameForAll).parent_path() / "finegrain" / "omp";
  std::error_code error;
  const fs::path found = fs::canonical(folder, error);
  if (error) {
    throw refusal{kCommandFailed, "no folder " + folder.string() + ": " + error.message()};
  }
  return found.string();
}

}  // namespace fg::omp_command
