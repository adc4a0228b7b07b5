// The process's malloc: which one it is, and how it treats freed memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <string>

namespace fg::bench {

/// Call it before any thread is started: glibc's malloc then returns nothing to the system until
/// the process ends, and takes blocks of up to 32 MiB, its maximum, from its heaps. Otherwise it
/// depends on what happens to lie on top of a heap whether an application that frees large blocks
/// faults their pages in again each time: strassen of 256 rows took 3.9 to 4.3 ms by plain calls,
/// 3.1 with memory kept; on one thread of GNU's runtime, whose task descriptors lie there, 2.9 to
/// 3.1 either way (Xeon, model 207). Other allocators are not changed.
inline void keep_freed_memory() noexcept {
#ifdef __GLIBC__
  constexpr int kGreatestThreshold = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kGreatestThreshold);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

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
