// Threads that we own: named, with signals blocked; and the CPU time of a thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include "finegrain/core/errors.hpp"
#include "finegrain/thread/no_cancellation.hpp"
#include "finegrain/thread/scheduling.hpp"

// Linux's signals by number, so that our headers do not bring in the macros of <signal.h>.
#if defined(__linux__)
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#include <signal.h>

#include "finegrain/thread/macos_thread.hpp"
#elif defined(__unix__)
#include <pthread.h>
#include <signal.h>
#include <time.h>
#if defined(__EMSCRIPTEN__)
#include "finegrain/thread/wasm_thread.hpp"
#endif
#elif defined(_WIN32)
#include <array>

#include "finegrain/thread/windows_thread.hpp"
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// Blocks all signals of the calling thread for a scope, except those for its own faults. A thread
/// created within inherits the mask, so a signal for the process never interrupts one of ours, but
/// a crash handler still runs if a task crashes: a blocked fault would end the process without it.
class blocked_signals {
 public:
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
#if defined(__linux__)
  blocked_signals() noexcept { set_mask(all_but_faults(), &before_); }
  ~blocked_signals() { set_mask(before_, nullptr); }

 private:
  using mask = std::uint64_t;

  // All but SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS, and the three that the C library
  // reserves: if those were blocked, setuid() would wait for this thread forever.
  static mask all_but_faults() noexcept {
    mask signals = ~mask{0};
    for (const unsigned left_out : {4U, 5U, 7U, 8U, 11U, 31U, 32U, 33U, 34U}) {
      signals &= ~(mask{1} << (left_out - 1));
    }
    return signals;
  }

  // Like pthread_sigmask(SIG_SETMASK, ...).
  static void set_mask(mask wanted, mask* before) noexcept {
    constexpr int kSetMask = 2;
    static_cast<void>(syscall(SYS_rt_sigprocmask, kSetMask, &wanted, before, sizeof wanted));
  }

  mask before_ = 0;
#elif defined(__unix__) || defined(__APPLE__)
  blocked_signals() noexcept {
    sigset_t others;
    sigfillset(&others);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&others, fault);
    }
    pthread_sigmask(SIG_SETMASK, &others, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#else
  blocked_signals() noexcept {}
  ~blocked_signals() {}
#endif
};

/// `name` followed by `number`, within the 15 characters that Linux keeps; the end of `name` is cut
/// off if necessary. Throws std::bad_alloc.
inline std::string kept_name(const std::string& name, const std::string& number) {
  constexpr std::size_t kKept = 15;
  return name.substr(0, kKept - std::min(kKept, number.size())) + number.substr(0, kKept);
}

#if !defined(_WIN32)
/// A thread of ours: a std::thread for a routine, a pointer.
using service_thread = std::thread;
#endif

/// Names a thread, for debuggers.
inline void name_thread(std::thread& thread, const char* name) noexcept {
#if defined(__linux__)
  pthread_setname_np(thread.native_handle(), name);
#elif defined(_WIN32)
  using function = long __stdcall(void* thread, const wchar_t* name);
  static auto* const set =
      windows::find_function<function>(L"kernelbase.dll", "SetThreadDescription");
  if (set != nullptr) {  // since Windows 10 of 2016
    constexpr unsigned kUtf8 = 65001;
    std::array<wchar_t, 64> wide{};  // `kept_name` keeps 15
    const int to_its_end = -1;
    if (MultiByteToWideChar(kUtf8, 0, name, to_its_end, wide.data(), wide.size()) != 0) {
      set(windows::thread_handle(thread.native_handle()), wide.data());
    }
  }
#else
  static_cast<void>(thread);
  static_cast<void>(name);
#endif
}

/// What a thread of ours begins with.
struct thread_start {
  const char* name;       ///< at most 15 characters; debuggers and `top` show it
  scheduling priority{};  ///< where only the thread itself can set it: on macOS and Windows
};

/// Starts a thread that calls `routine`, a pointer, with `arguments`. It has all signals but faults
/// blocked. Throws std::system_error if the system refuses a thread.
///
/// Not a closure: gcc exports what std::thread makes of one even if all symbols are hidden, and a
/// plugin would run its host's code for it, with its host's thread_local variables.
template <class Routine, class... Arguments>
service_thread start_service_thread(thread_start start, Routine routine, Arguments... arguments) {
  static_assert(!std::is_class_v<Routine>);
  const blocked_signals quiet;
#if defined(__APPLE__)
  const macos::thread_settings settings{start.name, start.priority};
  return service_thread{&macos::live<Routine, Arguments...>, settings, routine, arguments...};
#elif defined(_WIN32)
  // The thread gives itself its class.
  service_thread thread{start.priority, routine, arguments...};
  name_thread(thread, start.name);
  return thread;
#else
  service_thread thread{routine, arguments...};
  name_thread(thread, start.name);
  return thread;
#endif
}

/// The same, into `thread`. If the system refuses, returns why and leaves `thread` as it was;
/// otherwise returns an empty string. Without exceptions a refusal ends the program.
template <class Routine, class... Arguments>
[[nodiscard]] std::string try_start_service_thread(service_thread& thread, thread_start start,
                                                   Routine routine, Arguments... arguments) {
#if defined(__EMSCRIPTEN__)
  if (const char* const refusal = wasm::why_no_threads()) {
    return refusal;
  }
#endif
#if FINEGRAIN_HAS_EXCEPTIONS
  try {
    thread = start_service_thread(start, routine, arguments...);
  } catch (const std::system_error& refused) {
    return refused.what();
  }
#else
  thread = start_service_thread(start, routine, arguments...);
#endif
  return {};
}

/// Joins `thread`. Not a cancellation point, as its own `join` is.
inline void join_service_thread(service_thread& thread) {
  const no_cancellation guard;
  thread.join();
}

/// CPU time that `thread` has used since its start, in nanoseconds; 0 if the system does not report
/// it. Requires: it has not been joined. Any thread. A system call.
inline std::uint64_t thread_cpu_ns(const std::thread& thread) noexcept {
#if defined(__unix__)
  clockid_t clock{};
  timespec used{};
  // native_handle is logically const: it returns a copy of the handle.
  const pthread_t handle = const_cast<std::thread&>(thread).native_handle();
  if (pthread_getcpuclockid(handle, &clock) == 0 && clock_gettime(clock, &used) == 0) {
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(used.tv_nsec);
  }
#elif defined(_WIN32)
  struct {
    std::uint64_t made, ended, kernel, user;  // in units of 100 ns, and as exact as the timer
  } times{};
  const auto at = [](std::uint64_t& time) { return reinterpret_cast<_FILETIME*>(&time); };
  void* const handle = windows::thread_handle(const_cast<std::thread&>(thread).native_handle());
  if (GetThreadTimes(handle, at(times.made), at(times.ended), at(times.kernel), at(times.user)) !=
      0) {
    return (times.kernel + times.user) * 100;
  }
#else
  static_cast<void>(thread);
#endif
  return 0;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
