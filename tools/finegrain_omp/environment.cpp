// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "finegrain_omp/pointers.hpp"

namespace fg::omp_command {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
// The drop-in for tasks, and the one with regions of its own. A version may follow.
constexpr std::string_view kLibraryFiles[] = {"libfinegrain-omp.so", "libfinegrain-omp-all.so"};

bool is_named(std::string_view variable, std::string_view name) {
  return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
}

bool is_dropin(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(kLibraryFiles,
                             [file](std::string_view name) { return file.starts_with(name); });
}

// A folder where the library with regions of its own has the native runtimes' names.
bool is_stand_in(std::string_view folder) {
  std::error_code is_none;
  const std::filesystem::path file =
      std::filesystem::canonical(std::filesystem::path{folder} / "libgomp.so.1", is_none);
  return !is_none && is_dropin(file.native());
}

// Removes the drop-in from the list; otherwise a comparison would compare the drop-in with itself.
std::string without_dropin(std::string_view list, std::string_view separators,
                           bool (*is_dropped)(std::string_view entry)) {
  std::string kept;
  bool is_first = true;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    const std::string_view entry = list.substr(0, end);
    if (!is_dropped(entry)) {
      kept += (is_first ? "" : ":") + std::string{entry};
      is_first = false;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return kept;
}

}  // namespace

environment::environment() {
  for (char** each = environ; *each != nullptr; ++each) {
    variables_.emplace_back(*each);
  }
  if (const std::string preloaded = value_of(kPreload); !preloaded.empty()) {
    set(kPreload, without_dropin(preloaded, ": ", &is_dropin));
  }
  if (const std::string folders = value_of(kLibraryPath); !folders.empty()) {
    set(kLibraryPath, without_dropin(folders, ":;", &is_stand_in));
  }
}

std::string environment::value_of(const std::string& name) const {
  const auto found = std::ranges::find_if(
      variables_, [&name](const std::string& variable) { return is_named(variable, name); });
  return found == variables_.end() ? std::string{} : found->substr(name.size() + 1);
}

void environment::set(const std::string& name, const std::string& value) {
  std::erase_if(variables_,
                [&name](const std::string& variable) { return is_named(variable, name); });
  variables_.push_back(name + "=" + value);
}

void environment::preload(const std::string& library) {
  const std::string before = value_of(kPreload);
  set(kPreload, before.empty() ? library : library + ":" + before);
}

std::vector<char*> environment::pointers() { return pointers_to(variables_); }

}  // namespace fg::omp_command
