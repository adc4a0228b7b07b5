// Freed memory that stays with the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace fg::bench {

/// Before any thread is started: glibc's malloc gives nothing back to the system until the process
/// ends, and takes blocks of up to 32 MiB, the greatest it can, from its heaps. Else whether an
/// application that frees large blocks faults their pages in again each time hangs on what happens
/// to lie on top of a heap: strassen of 256 rows took 3.9 to 4.3 ms by plain calls, 3.1 with memory
/// kept; on one thread of GNU's runtime, whose task descriptors lie there, 2.9 to 3.1 either way
/// (Xeon, model 207). Other allocators are as they are.
inline void keep_freed_memory() noexcept {
#ifdef __GLIBC__
  constexpr int kGreatestThreshold = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kGreatestThreshold);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace fg::bench
