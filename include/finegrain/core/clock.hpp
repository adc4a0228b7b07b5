// The processor's own clock: the cheapest way to time microseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/config.hpp"

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#endif

namespace fg::inline FINEGRAIN_ABI {

/// Reads a clock that runs at a constant rate, the same on all CPUs: the time-stamp counter on x86,
/// the generic timer on Arm, the system's steady clock elsewhere. Any thread. A read is not ordered
/// with the loads and stores around it, so it suits durations of some ten nanoseconds or more.
/// A read costs 10 ns; one of steady_clock costs 24 ns (EPYC 9004, KVM).
inline std::uint64_t ticks() noexcept {
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
  return __rdtsc();
#elif defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__) && !defined(_MSC_VER)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

namespace detail {

// On Arm a register gives the exact rate. On x86 no register reports it reliably under a
// hypervisor, so it is measured once, against the steady clock.
inline double measure_ticks_per_ns() noexcept {
#if defined(__aarch64__) && !defined(_MSC_VER)
  std::uint64_t hertz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return static_cast<double>(hertz) * 1e-9;
#else
  using clock = std::chrono::steady_clock;
  // A clock read takes 24 ns (EPYC 9004, KVM), so 100 us give the rate to 0.1 %, unless the thread
  // is interrupted between the two reads of a pair, at either end: hence the best of three spans.
  constexpr std::chrono::microseconds kSpan{100};
  constexpr int kSpans = 3;
  double least_ns_in_pairs = 1e300;
  double rate = 1;
  for (int span = 0; span < kSpans; ++span) {
    const clock::time_point start = clock::now();
    const std::uint64_t first = ticks();
    clock::time_point before = clock::now();
    const clock::duration first_pair = before - start;
    while (before - start < kSpan) {
      before = clock::now();
    }
    const std::uint64_t last = ticks();
    const clock::time_point after = clock::now();
    const std::chrono::duration<double, std::nano> in_pairs = first_pair + (after - before);
    if (in_pairs.count() < least_ns_in_pairs) {
      least_ns_in_pairs = in_pairs.count();
      rate = static_cast<double>(last - first) /
             std::chrono::duration<double, std::nano>{before - start}.count();
    }
  }
  return rate;
#endif
}

}  // namespace detail

/// Ticks per nanosecond. The first call in a process measures it, which takes 0.3 ms on x86; later
/// calls return the stored value. Any thread.
inline double ticks_per_ns() noexcept {
  static const double rate = detail::measure_ticks_per_ns();
  return rate;
}

/// Converts `time` to ticks, rounded down. Otherwise like `ticks_per_ns`.
inline std::uint64_t to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(time.count()) * ticks_per_ns());
}

namespace detail {

/// Converts a duration that a program asks for to ticks. Negative values count as 0 and values
/// above 35 years as 35 years, so `max()` means forever. Otherwise like `ticks_per_ns`.
inline std::uint64_t budget_ticks(std::chrono::microseconds time) noexcept {
  using std::chrono::microseconds;
  constexpr microseconds kMost{std::int64_t{1} << 50U};  // 64 bits hold it, in ns and in ticks
  return time < microseconds{0} ? 0 : to_ticks(time < kMost ? time : kMost);
}

}  // namespace detail

/// Converts `count` ticks to nanoseconds. Otherwise like `ticks_per_ns`.
inline double to_ns(std::uint64_t count) noexcept {
  return static_cast<double>(count) / ticks_per_ns();
}

}  // namespace fg::inline FINEGRAIN_ABI
