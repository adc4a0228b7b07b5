// Strings for system calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fg::omp_command {

/// Returns a null-terminated array of pointers to them, as execve requires. Valid until they
/// change.
[[nodiscard]] inline std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> all(strings.size() + 1, nullptr);
  std::ranges::transform(strings, all.begin(), [](std::string& each) { return each.data(); });
  return all;
}

}  // namespace fg::omp_command
