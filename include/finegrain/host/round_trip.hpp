// Measures the round trip of one cache line between two CPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/host/affinity.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

// 128: nothing else is on the line, nor on its neighbour, which some prefetchers also fetch.
struct alignas(128) bounced_line {
  atomic<std::uint64_t> value{0};
};

// The fastest way known to wait for a line that the waiter then writes (docs/handoff.md, "Asking for
// the line to write"). The acquire pairs with the release store of `value` on the other thread: the
// weakest orders that a hand-off of data could use.
inline void await(const bounced_line& line, std::uint64_t value) noexcept {
  while (line.value.load(memory_order_acquire) != value) {
    pause();
    prefetch_for_write(&line);
  }
}

// Odd values go out, even ones come back.
inline void answer_round_trips(bounced_line& line, std::uint64_t count) noexcept {
  for (std::uint64_t i = 0; i < count; ++i) {
    await(line, 2 * i + 1);
    line.value.store(2 * i + 2, memory_order_release);  // pairs with await in make_round_trips
  }
}

inline void make_round_trips(bounced_line& line, std::uint64_t first, std::uint64_t last) noexcept {
  for (std::uint64_t i = first; i < last; ++i) {
    line.value.store(2 * i + 1, memory_order_release);  // pairs with await in answer_round_trips
    await(line, 2 * i + 2);
  }
}

inline void require_pinned(std::error_code error, int cpu) {
  if (error) {
    detail::raise(
        std::runtime_error("cannot run on CPU " + std::to_string(cpu) + ": " + error.message()));
  }
}

}  // namespace detail

/// Bounces one cache line `count` times between the calling thread and a thread on `other_cpu`,
/// and returns the mean round trip in nanoseconds: the floor of every hand-off of a task and of its
/// completion. A tenth of `count` precedes it as a warm-up.
///
/// Pins the calling thread to `cpu`. Requires: `count` is not 0. Throws std::runtime_error if a CPU
/// cannot be used, std::system_error if the system refuses a thread. Two equal CPUs work, at one
/// time slice per half trip.
inline double measure_round_trip_ns(int cpu, int other_cpu, std::uint64_t count) {
  using clock = std::chrono::steady_clock;
  detail::require_pinned(pin_this_thread(cpu), cpu);
  const std::uint64_t warmup = count / 10 + 1;
  detail::bounced_line line;
  std::error_code error;
  std::promise<void> tied;
  std::thread other{[&, all = warmup + count] {
    error = pin_this_thread(other_cpu);
    tied.set_value();
    if (!error) {
      detail::answer_round_trips(line, all);
    }
  }};
  tied.get_future().wait();
  if (error) {
    other.join();
    detail::require_pinned(error, other_cpu);
  }
  detail::make_round_trips(line, 0, warmup);
  const clock::time_point start = clock::now();
  detail::make_round_trips(line, warmup, warmup + count);
  const clock::time_point end = clock::now();
  other.join();
  return std::chrono::duration<double, std::nano>{end - start}.count() / static_cast<double>(count);
}

}  // namespace fg::inline FINEGRAIN_ABI
