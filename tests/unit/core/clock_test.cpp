// SPDX-License-Identifier: Apache-2.0
#include "finegrain/core/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

TEST(clock, counts_forward) {
  const std::uint64_t first = fg::ticks();
  std::this_thread::sleep_for(std::chrono::microseconds{10});
  EXPECT_GT(fg::ticks(), first);
}

// 20 ms compared with the steady clock, the best of several attempts: one may be interrupted
// between the two clocks.
TEST(clock, agrees_with_the_steady_clock) {
  double best_error = 1;
  for (int attempt = 0; attempt < 10 && best_error > 0.005; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t first = fg::ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    const std::uint64_t last = fg::ticks();
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - start;
    best_error = std::min(best_error, std::abs(fg::to_ns(last - first) / passed.count() - 1));
  }
  EXPECT_LT(best_error, 0.005);
}

TEST(clock, converts_both_ways) {
  EXPECT_NEAR(fg::to_ns(fg::to_ticks(std::chrono::microseconds{250})), 250'000, 10);
  EXPECT_EQ(fg::to_ticks(std::chrono::nanoseconds{0}), 0U);
}

TEST(clock, takes_any_budget) {
  using std::chrono::hours;
  using std::chrono::microseconds;
  EXPECT_EQ(fg::detail::budget_ticks(microseconds{250}), fg::to_ticks(microseconds{250}));
  EXPECT_EQ(fg::detail::budget_ticks(microseconds{-1}), 0U);
  EXPECT_EQ(fg::detail::budget_ticks(microseconds::min()), 0U);
  EXPECT_GT(fg::detail::budget_ticks(microseconds::max()), fg::to_ticks(hours{24 * 365 * 30}));
}

}  // namespace
