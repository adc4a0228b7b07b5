// Threads that belong to finegrain.
#pragma once

#include <thread>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#endif

namespace fg::detail {

/// Blocks all signals of the calling thread for a scope. A thread created within inherits the empty
/// mask, so a signal for the process never interrupts one of ours.
class blocked_signals {
 public:
#if defined(__unix__) || defined(__APPLE__)
  blocked_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;

 public:
#else
  blocked_signals() noexcept {}
  ~blocked_signals() {}
#endif
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
};

/// Starts a thread that runs `body`, with all signals blocked and `name` (at most 15 characters) as
/// debuggers and `top` show it. Throws std::system_error when the system refuses a thread.
template <class Body>
std::thread start_service_thread(const char* name, Body&& body) {
  const blocked_signals quiet;
  std::thread thread{std::forward<Body>(body)};
#if defined(__linux__)
  pthread_setname_np(thread.native_handle(), name);
#else
  static_cast<void>(name);
#endif
  return thread;
}

}  // namespace fg::detail
