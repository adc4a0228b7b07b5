// Threads that the model checker runs: stands in for the shipped core/service_thread.hpp, which
// asks the system for a name and a signal mask.
#pragma once

#include <thread>
#include <utility>

namespace fg::detail {

template <class Body>
std::thread start_service_thread(const char* /*name*/, Body&& body) {
  return std::thread{std::forward<Body>(body)};
}

}  // namespace fg::detail
