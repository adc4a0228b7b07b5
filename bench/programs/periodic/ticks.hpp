// When periodic work comes, and how its thread waits for that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace fg::bench {

/// The times of ticks. Tick n comes at n periods, plus or minus a jitter that is drawn anew for each
/// tick, uniformly. The same seed gives the same times.
class tick_schedule {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  /// `jitter` is a share of the period, below a half, so that the ticks stay in order.
  tick_schedule(nanoseconds period, double jitter, std::uint64_t seed)
      : period_{period}, jitter_{jitter}, random_{seed} {}

  /// The time of the next tick, from tick 1 on, since the beginning. Constant time.
  nanoseconds next();

 private:
  nanoseconds period_;
  double jitter_;
  std::mt19937_64 random_;
  std::int64_t ticks_ = 0;
};

/// Sleeps until that time of std::chrono::steady_clock. Returns at once if it has passed. Throws
/// std::system_error if the system refuses.
void sleep_until(std::chrono::steady_clock::time_point when);

/// Lets the calling thread's sleeps end as precisely as the kernel can: without it, up to 50 us
/// late. Threads that it starts from then on inherit this. Throws std::system_error.
void sleep_precisely();

/// The CPU time of all threads of this process, ns. Of a thread that runs on another CPU it lacks
/// up to a scheduler tick.
[[nodiscard]] double process_cpu_ns();

}  // namespace fg::bench
