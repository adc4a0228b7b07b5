// Whose malloc the process calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

namespace fg::bench {

/// The name of the allocator that stands before the system's, told by a function that it alone
/// has; "glibc" where there is none.
inline std::string allocator_in_use() {
  struct known {
    const char* function;
    const char* name;
  };
  for (const auto& [function, name] :
       {known{"tc_version", "tcmalloc"}, {"mallctl", "jemalloc"}, {"mi_version", "mimalloc"}}) {
    if (dlsym(RTLD_DEFAULT, function) != nullptr) {
      return name;
    }
  }
  return "glibc";
}

}  // namespace fg::bench
