// Sleeping on a word in memory, also for a limited time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "finegrain/core/atomic.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// What `std::atomic::wait` does, and the same for a limited time, which that cannot do: hence the
/// system's own call on Linux. A word is slept on and woken only by these functions.
/// Elsewhere nothing sleeps for a limited time: `kSleepsForATime` is false. On Windows that would be
/// up to 15.6 ms late, the period of its timer.
namespace futex {

using word = atomic<std::uint32_t>;

#if defined(__linux__) && defined(SYS_futex)

inline constexpr bool kSleepsForATime = true;

// As in <linux/futex.h>, which our headers do not bring in.
inline constexpr long kWait = 0;
inline constexpr long kWake = 1;
inline constexpr long kPrivate = 128;  // between threads of one process

// What SYS_futex reads: two words, also where time_t is longer.
struct duration {
  long seconds;
  long nanoseconds;
};

inline void call(const word& at, long operation, std::uint32_t value,
                 const duration* limit) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t), "the system reads the word itself");
  static_cast<void>(
      syscall(SYS_futex, &at, operation | kPrivate, static_cast<long>(value), limit, nullptr, 0L));
}

/// Sleeps while `at` has the value `seen`, or shorter.
inline void sleep(const word& at, std::uint32_t seen) noexcept { call(at, kWait, seen, nullptr); }

/// The same, for `limit` at most and what the system's timer is late.
inline void sleep_for(const word& at, std::uint32_t seen, std::chrono::nanoseconds limit) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const duration time{static_cast<long>(limit.count() / kSecond),
                      static_cast<long>(limit.count() % kSecond)};
  call(at, kWait, seen, &time);
}

/// Wakes one thread that sleeps on `at`.
inline void wake_one(word& at) noexcept { call(at, kWake, 1, nullptr); }

/// Wakes all threads that sleep on `at`.
inline void wake_all(word& at) noexcept {
  call(at, kWake, std::numeric_limits<int>::max(), nullptr);
}

/// While it exists the calling thread's timers are as exact as the system can: otherwise they are
/// up to 50 us late, so that one interrupt may serve several. Two system calls at each end.
class punctual {
 public:
  punctual() noexcept : before_{syscall(SYS_prctl, kGetTimerSlack)} { set(1); }
  ~punctual() {
    if (before_ > 0) {
      set(before_);
    }
  }
  punctual(const punctual&) = delete;
  punctual& operator=(const punctual&) = delete;

 private:
  static constexpr long kSetTimerSlack = 29;  // PR_SET_TIMERSLACK
  static constexpr long kGetTimerSlack = 30;

  static void set(long ns) noexcept {
    static_cast<void>(syscall(SYS_prctl, kSetTimerSlack, ns, 0L, 0L, 0L));
  }

  long before_;
};

#else

inline constexpr bool kSleepsForATime = false;

// Relaxed: the callers order what they publish themselves.
inline void sleep(const word& at, std::uint32_t seen) noexcept {
  at.wait(seen, memory_order_relaxed);
}
inline void sleep_for(const word& at, std::uint32_t seen, std::chrono::nanoseconds) noexcept {
  sleep(at, seen);
}
inline void wake_one(word& at) noexcept { at.notify_one(); }
inline void wake_all(word& at) noexcept { at.notify_all(); }
class punctual {};

#endif

}  // namespace futex

}  // namespace fg::inline FINEGRAIN_ABI::detail
