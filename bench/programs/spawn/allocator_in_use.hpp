// The name of the process's malloc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

namespace fg::bench {

/// The name of the allocator that replaces the system's, recognized by a function that only it has;
/// "glibc" if there is none.
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
