// CPU time that a thread has used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <thread>

#include "finegrain/core/config.hpp"

#if defined(__unix__)
#include <pthread.h>
#include <time.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// CPU time that `thread` has used since its start, nanoseconds; 0 where the system does not tell.
/// Requires: it has not been joined. Any thread. A system call.
inline std::uint64_t thread_cpu_ns(const std::thread& thread) noexcept {
#if defined(__unix__)
  clockid_t clock{};
  timespec used{};
  // native_handle is const in nature: it returns a copy of the handle.
  const pthread_t handle = const_cast<std::thread&>(thread).native_handle();
  if (pthread_getcpuclockid(handle, &clock) == 0 && clock_gettime(clock, &used) == 0) {
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(used.tv_nsec);
  }
#else
  static_cast<void>(thread);
#endif
  return 0;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
