// Virtual threads: replaces the shipped thread/service_thread.hpp, which asks the system for a name,
// a signal mask and a clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "finegrain/core/config.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

using service_thread = std::thread;

inline std::string kept_name(const std::string& name, const std::string& /*number*/) {
  return name;
}

struct thread_start {
  const char* name;
  scheduling priority{};
};

// Never refused.
template <class Routine, class... Arguments>
std::string try_start_service_thread(service_thread& thread, const thread_start& /*start*/,
                                     Routine routine, Arguments... arguments) {
  thread = std::thread{routine, arguments...};
  return {};
}

inline void join_service_thread(service_thread& thread) { thread.join(); }

inline std::uint64_t thread_cpu_ns(const std::thread& /*thread*/) noexcept { return 0; }

}  // namespace fg::inline FINEGRAIN_ABI::detail
