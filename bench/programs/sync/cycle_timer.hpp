// The time-stamp counter, read as X-OpenMP reads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/clock.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace fg::bench {

/// The reads of "X-OpenMP" (Nookala et al., 2024, section 2.1), from any thread. Both count the
/// ticks of `fg::ticks`; `fg::ticks_per_ns` gives their length.
///
/// On x86 `start` is RDTSCP, which waits for everything before it; `stop` is RDTSC and then CPUID,
/// before which nothing that follows begins. RDTSC itself does not wait for what is before it, so
/// time thousands of operations. On Arm both wait, by ISB, and read the virtual counter. On other
/// processors both are `fg::ticks`.
class cycle_timer {
 public:
  static std::uint64_t start() noexcept {
#if defined(__x86_64__)
    unsigned int cpu = 0;
    return __rdtscp(&cpu);
#else
    wait_for_what_is_before();
    return ticks();
#endif
  }

  static std::uint64_t stop() noexcept {
#if defined(__x86_64__)
    const std::uint64_t now = __rdtsc();
    let_nothing_begin();
    return now;
#else
    wait_for_what_is_before();
    const std::uint64_t now = ticks();
    wait_for_what_is_before();
    return now;
#endif
  }

  /// Processor cycles per tick. On x86 the two are the same, as in the paper: the counter's rate is
  /// the processor's nominal one. Arm's counter is much slower, so the rate is measured once per
  /// process, which takes half a millisecond at 4 GHz. Any thread.
  static double cycles_per_tick() noexcept {
#if defined(__aarch64__)
    static const double rate = measure_cycles_per_tick();
    return rate;
#else
    return 1;
#endif
  }

 private:
#if defined(__x86_64__)
  static void let_nothing_begin() noexcept {
    // NOLINTBEGIN(misc-const-correctness): does not see what the assembly writes
    unsigned int leaf = 0;
    unsigned int part = 0;
    // NOLINTEND(misc-const-correctness)
    asm volatile("cpuid" : "+a"(leaf), "+c"(part) : : "rbx", "rdx", "memory");
  }
#else
  static void wait_for_what_is_before() noexcept {
#if defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }
#endif

#if defined(__aarch64__)
  // In a chain of additions each takes one cycle on every existing core. The shortest of several
  // spans counts: in the others the thread may have been interrupted.
  static double measure_cycles_per_tick() noexcept {
    constexpr int kSpans = 5;
    constexpr std::uint64_t kAdditions = 400'000;  // 0.1 ms at 4 GHz: 2,500 ticks of 25 MHz
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int span = 0; span < kSpans; ++span) {
      const std::uint64_t first = start();
      std::uint64_t left = kAdditions / 4;
      std::uint64_t sum = 0;
      while (left != 0) {
        asm volatile(
            "add %0, %0, #1\n add %0, %0, #1\n add %0, %0, #1\n add %0, %0, #1\n sub %1, %1, #1"
            : "+r"(sum), "+r"(left));
      }
      const std::uint64_t passed = stop() - first;
      shortest = passed < shortest ? passed : shortest;
    }
    return static_cast<double>(kAdditions) / static_cast<double>(shortest == 0 ? 1 : shortest);
  }
#endif
};

}  // namespace fg::bench
