// Threads that the model checker runs: stands in for the shipped core/service_thread.hpp, which
// asks the system for a name and a signal mask.
#pragma once

#include <thread>

namespace fg::detail {

template <class Routine, class... Arguments>
std::thread start_service_thread(const char* /*name*/, Routine routine, Arguments... arguments) {
  return std::thread{routine, arguments...};
}

inline void join_service_thread(std::thread& thread) { thread.join(); }

}  // namespace fg::detail
