// SPDX-License-Identifier: Apache-2.0
#include "programs/periodic/ticks.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>

namespace fg::bench {

std::chrono::nanoseconds tick_schedule::next() {
  ++ticks_;
  // 53 bits, as many as a double holds; standard distributions differ between libraries.
  const double uniform = std::ldexp(static_cast<double>(random_() >> 11), -53);
  const double offset = jitter_ * (2 * uniform - 1) * static_cast<double>(period_.count());
  return ticks_ * period_ + nanoseconds{std::llround(offset)};
}

void sleep_until(std::chrono::steady_clock::time_point when) {
  // libstdc++'s and libc++'s steady_clock is CLOCK_MONOTONIC.
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const std::int64_t ns = std::chrono::nanoseconds{when.time_since_epoch()}.count();
  const timespec until{.tv_sec = ns / kNsPerSecond, .tv_nsec = ns % kNsPerSecond};
  int error = EINTR;
  while (error == EINTR) {
    error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot sleep until a tick");
  }
}

void sleep_precisely() {
  constexpr unsigned long kSlackNs = 1;
  if (prctl(PR_SET_TIMERSLACK, kSlackNs) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot set the timer slack");
  }
}

double process_cpu_ns() {
  timespec now{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read the process's CPU time");
  }
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace fg::bench
