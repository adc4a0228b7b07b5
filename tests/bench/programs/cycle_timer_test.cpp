// The time-stamp counter advances, at the reported rate.
// SPDX-License-Identifier: Apache-2.0
#include "programs/sync/cycle_timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "support/on_thread.hpp"

namespace {

using fg::bench::cycle_timer;

TEST(cycle_timer, never_goes_back) {
  const std::uint64_t earliest = cycle_timer::start();
  std::uint64_t last = earliest;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t first = cycle_timer::start();
    ASSERT_GE(first, last);
    last = cycle_timer::stop();
    ASSERT_GE(last, first);
  }
  EXPECT_GT(last, earliest);  // and it advances
}

TEST(cycle_timer, is_one_clock_for_all_threads) {
  std::uint64_t between = 0;
  const std::uint64_t first = cycle_timer::start();
  fg::test::on_thread([&between] { between = cycle_timer::stop(); });
  const std::uint64_t last = cycle_timer::stop();
  EXPECT_LE(first, between);
  EXPECT_LE(between, last);
}

TEST(cycle_timer, keeps_time_with_the_steady_clock) {
  using clock = std::chrono::steady_clock;
  const auto ns = [](clock::duration time) {
    return std::chrono::duration<double, std::nano>{time}.count();
  };
  static_cast<void>(fg::ticks_per_ns());  // measured now, not between the reads
  const clock::time_point before = clock::now();
  const std::uint64_t first = cycle_timer::start();
  const clock::time_point inner = clock::now();
  clock::time_point inner_end = inner;
  while (inner_end - inner < std::chrono::milliseconds{5}) {
    inner_end = clock::now();
  }
  const double timed_ns = fg::to_ns(cycle_timer::stop() - first);
  const clock::time_point after = clock::now();
  EXPECT_GT(timed_ns, 0.98 * ns(inner_end - inner));
  EXPECT_LT(timed_ns, 1.02 * ns(after - before));
}

TEST(cycle_timer, knows_the_processor_s_cycles) {
#if defined(__aarch64__)
  EXPECT_GT(cycle_timer::cycles_per_tick(), 0);
#else
  EXPECT_EQ(cycle_timer::cycles_per_tick(), 1);
#endif
}

}  // namespace
