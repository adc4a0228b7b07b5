// Stacks for trees that are thousands of levels deep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace fg::bench {

/// The limit for a stack. The kernel reserves at least 128 MiB below the main thread's stack for
/// it, less a gap, whatever the limit was when the program started.
inline constexpr std::size_t kDeepStackBytes = std::size_t{96} << 20U;

/// The stack size of threads that are started without a size of their own: address space; memory is
/// committed as it is used. Waiting nests below other waits in some runtimes, so that a stack may
/// have to hold more than the deepest path.
inline constexpr std::size_t kThreadStackBytes = std::size_t{1} << 30U;

/// Lets the main thread's stack grow to kDeepStackBytes or as far as the hard limit allows, and
/// gives the same size to every thread that is started later without a size of its own. Call it
/// before any thread is started. A limit that cannot be raised stays as it was: a tree that is too
/// deep for it crashes.
inline void allow_deep_stacks() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kDeepStackBytes) {
    limit.rlim_cur = std::min<rlim_t>(kDeepStackBytes, limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
  }
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, kThreadStackBytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
}

}  // namespace fg::bench
