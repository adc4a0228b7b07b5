// The scheduling class of our own threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>

#if defined(__unix__)
#include <pthread.h>
#include <sched.h>
#endif

#include "finegrain/thread/no_cancellation.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How the system shares CPUs between threads. `inherit`: like the thread that creates ours.
enum class scheduling_class { inherit, normal, batch, idle, fifo, round_robin };

/// A class with its priority, which only `fifo` and `round_robin` have: 0 stands for the lowest
/// priority that exists, on Linux 1 of 1 to 99.
///
/// **Real-time classes.** A thread of ours that looks for work keeps its CPU from all threads of
/// lower priority as long as its spin budget lasts; yielding does not let them run. So keep that
/// CPU free of other threads, and the budget short. Linux takes back 5 % of each second
/// (sched_rt_runtime_us). These classes need CAP_SYS_NICE or a limit (RLIMIT_RTPRIO).
///
/// **Windows** has priorities where others have classes: `batch` is "below normal", `idle` is
/// "idle", both real-time classes are "time critical", which has one priority, and join the
/// multimedia class scheduler (MMCSS): `fifo` as "Pro Audio", `round_robin` as "Games". It takes
/// back 20 % of the time (SystemResponsiveness).
///
/// **macOS** has quality-of-service classes: `normal` is "default", `batch` is "utility", `idle` is
/// "background", both real-time classes are "user interactive", which has one priority. A task may
/// set a time constraint or join an audio workgroup itself.
struct scheduling {
  scheduling_class kind = scheduling_class::inherit;
  int priority = 0;

  [[nodiscard]] bool is_real_time() const noexcept {
    return kind == scheduling_class::fifo || kind == scheduling_class::round_robin;
  }
};

namespace detail {

#if defined(__linux__)
/// The system's number of each class but `inherit`, -1 if it has no such class.
inline constexpr std::array kPolicies{SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR};
#elif defined(__unix__)
inline constexpr std::array kPolicies{SCHED_OTHER, -1, -1, SCHED_FIFO, SCHED_RR};
#endif

// That of Windows: windows_thread.hpp.
#if !defined(_WIN32)
/// Gives `thread` a class. Returns why the system refused, empty if it did not; after a refusal the
/// thread keeps its class. Throws std::bad_alloc.
inline std::string try_schedule(std::thread& thread, const scheduling& wanted) {
  if (wanted.kind == scheduling_class::inherit) {
    return {};
  }
#if defined(__unix__) && !defined(__EMSCRIPTEN__)  // which takes any class, and does nothing
  const int policy = kPolicies[static_cast<std::size_t>(wanted.kind) - 1];
  if (policy >= 0) {
    sched_param parameters{};
    if (wanted.is_real_time()) {
      parameters.sched_priority =
          wanted.priority != 0 ? wanted.priority : sched_get_priority_min(policy);
    }
    const no_cancellation guard;
    const int refused = pthread_setschedparam(thread.native_handle(), policy, &parameters);
    return refused == 0 ? std::string{}
                        : "the system refused the scheduling class: " +
                              std::generic_category().message(refused);
  }
#elif defined(__APPLE__)
  // It has set its class itself: no other thread can (macos_thread.hpp).
  static_cast<void>(thread);
  return wanted.is_real_time() && wanted.priority > 1
             ? "this system has one priority for real-time threads"
             : "";
#else
  static_cast<void>(thread);
#endif
  return "this system has no such scheduling class";
}
#endif

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
