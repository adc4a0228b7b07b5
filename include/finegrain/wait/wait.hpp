// The wait policies, and the loop that waits with one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <thread>

#include "finegrain/core/clock.hpp"
#include "finegrain/core/cpuid.hpp"
#include "finegrain/core/pause.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A policy for what a thread does between two looks at the word that it waits for.
///
/// `relax(line, changed)` waits a moment, at best until the cache line of `line` is written, and
/// never longer than some microseconds; `changed()` checks whether that has already happened.
/// `supported()` says whether the processor can do it. `kSleepsByItself`: a service thread with
/// this policy goes to sleep when its budget is spent. Stateless; any thread.
template <class P>
concept wait_policy = requires(const void* line, bool (*changed)()) {
  { P::kName } -> std::convertible_to<const char*>;
  { P::kSleepsByItself } -> std::convertible_to<bool>;
  { P::supported() } -> std::same_as<bool>;
  P::relax(line, changed);
};

/// Looks again at once. The reference: the lowest latency if the waiting thread has a core to
/// itself, the worst neighbour on an SMT sibling.
struct spin {
  static constexpr const char* kName = "spin";
  static constexpr bool kSleepsByItself = false;
  static bool supported() noexcept { return true; }
  template <class Changed>
  static void relax(const void*, Changed&&) noexcept {}
};

/// Pauses between two looks, as in the Relic paper (section VI.B).
struct spin_pause {
  static constexpr const char* kName = "spin_pause";
  static constexpr bool kSleepsByItself = false;
  static bool supported() noexcept { return true; }
  template <class Changed>
  static void relax(const void*, Changed&&) noexcept {
    pause();
  }
};

/// Pauses between two looks, and sleeps after a while without success (the hybrid approach of
/// section VI.B). The default.
struct spin_then_sleep : spin_pause {
  static constexpr const char* kName = "spin_then_sleep";
  static constexpr bool kSleepsByItself = true;
};

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)

namespace detail {

// The longest wait of one umwait or mwaitx. It bounds the delay if the word that changes is on
// another line than the one watched. Not measured: no available processor has them.
inline constexpr std::uint32_t kMostMonitoredTicks = 2000;

// Separate functions, because only they may contain the instructions.
__attribute__((target("waitpkg"))) inline void umonitor(const void* line) noexcept {
  asm volatile("umonitor %0" ::"r"(line) : "memory");
}
__attribute__((target("waitpkg"))) inline void umwait() noexcept {
  constexpr std::uint32_t kLightSleep = 1;  // C0.1: wakes in some tens of nanoseconds
  const std::uint64_t until = ticks() + kMostMonitoredTicks;
  asm volatile("umwait %0" ::"r"(kLightSleep), "d"(static_cast<std::uint32_t>(until >> 32)),
               "a"(static_cast<std::uint32_t>(until))
               : "cc", "memory");
}
__attribute__((target("mwaitx"))) inline void monitorx(const void* line) noexcept {
  asm volatile("monitorx" ::"a"(line), "c"(0), "d"(0) : "memory");
}
__attribute__((target("mwaitx"))) inline void mwaitx() noexcept {
  constexpr std::uint32_t kTimer = 2;          // wake after the ticks of the third operand
  constexpr std::uint32_t kLightSleep = 0xf0;  // C0: no deeper state
  asm volatile("mwaitx" ::"a"(kLightSleep), "b"(kMostMonitoredTicks), "c"(kTimer) : "memory");
}

}  // namespace detail

/// Watches the line with Intel's WAITPKG (UMONITOR, UMWAIT): the core rests until it is written.
/// Compiled and disassembled here, not executed: it needs Intel cores since Tremont or Alder Lake.
struct umwait {
  static constexpr const char* kName = "umwait";
  static constexpr bool kSleepsByItself = false;
  static bool supported() noexcept { return cpu_features().waitpkg; }
  template <class Changed>
  static void relax(const void* line, Changed&& changed) noexcept {
    detail::umonitor(line);
    if (!changed()) {  // a write before the umonitor does not end the umwait
      detail::umwait();
    }
  }
};

/// Watches the line with AMD's MONITORX and MWAITX. Compiled and disassembled here, but not
/// executed: hypervisors hide it.
struct mwaitx {
  static constexpr const char* kName = "mwaitx";
  static constexpr bool kSleepsByItself = false;
  static bool supported() noexcept { return cpu_features().mwaitx; }
  template <class Changed>
  static void relax(const void* line, Changed&& changed) noexcept {
    detail::monitorx(line);
    if (!changed()) {
      detail::mwaitx();
    }
  }
};

#endif

/// Busy-waits by a policy, and yields to other runnable threads.
///
/// One object serves one wait. After `kYieldAfter` without success, and again after each further
/// `kYieldAfter`, it yields the CPU: otherwise two threads that share one CPU would each spin away
/// the other's time slice. The budget is a time, not a number of looks, because a pause takes
/// between 10 and 140 cycles depending on the processor.
///
/// A caller may also wait between the looks itself: then it calls only `count_look`.
template <wait_policy Policy = spin_pause>
class spin_wait {
 public:
  /// Waits a moment by the policy (see `wait_policy`). True every `kLooksPerClockRead` calls, when
  /// it has read the clock; `waited_ticks` and `just_yielded` then describe the wait. Never blocks;
  /// yields the CPU at most once per `kYieldAfter`.
  template <class Changed>
  bool operator()(const void* line, Changed&& changed) noexcept {
    Policy::relax(line, changed);
    return count_look();
  }

  /// The same for callers that have no line to watch.
  bool operator()() noexcept {
    return operator()(nullptr, [] { return true; });
  }

  /// The same after the caller has waited a moment in its own way.
  bool count_look() noexcept {
    if (++looks_ % kLooksPerClockRead != 0) [[likely]] {
      return false;
    }
    read_clock();
    return true;
  }

  /// Looks since the start.
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }
  /// The latest clock read; 0 if there was none.
  [[nodiscard]] std::uint64_t now() const noexcept { return last_; }
  /// Ticks from the first clock read to the latest one.
  [[nodiscard]] std::uint64_t waited_ticks() const noexcept { return last_ - first_; }
  /// Ticks between the latest two clock reads, the time that `kLooksPerClockRead` looks took; 0 if
  /// there was no second read or a yield lies between them.
  [[nodiscard]] std::uint64_t span_ticks() const noexcept { return span_; }
  /// What the yield took to which the latest clock read led, and whether it did.
  [[nodiscard]] std::uint64_t yield_ticks() const noexcept { return yield_; }
  [[nodiscard]] bool just_yielded() const noexcept { return yield_ != 0; }

  // 64 pauses are 1.6 us and a clock read is 10 ns (EPYC 9004, KVM).
  static constexpr std::uint32_t kLooksPerClockRead = 64;

 private:
  // Longer than any task that finegrain is made for (0.1-10 us), so a wait for one stays in user
  // space; short enough that a hand-off between two threads on one CPU costs two budgets, 40 us. An
  // idle thread loses 0.5 us per yield to the system call, 2 % of its polls (EPYC 9004, KVM).
  static constexpr std::chrono::microseconds kYieldAfter{20};

  void read_clock() noexcept {
    static const std::uint64_t yield_after = to_ticks(kYieldAfter);
    const std::uint64_t now = ticks();
    span_ = last_ == 0 || just_yielded() ? 0 : now - last_;
    last_ = now;
    if (first_ == 0) {
      first_ = now;
      yielded_ = now;
    }
    yield_ = 0;
    if (now - yielded_ >= yield_after) {
      std::this_thread::yield();
      last_ = yielded_ = ticks();  // another thread may have run for a time slice
      yield_ = std::max<std::uint64_t>(last_ - now, 1);
    }
  }

  std::uint64_t looks_ = 0;    // 32 bits would last some 100 s without work
  std::uint64_t first_ = 0;    // 0 until the first clock read
  std::uint64_t yielded_ = 0;  // when it last yielded, or `first_`
  std::uint64_t last_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t yield_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI
