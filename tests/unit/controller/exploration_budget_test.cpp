// The parts of the budget that the controllers' own tests do not distinguish.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/exploration_budget.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace {

using fg::detail::exploration_budget;
using fg::detail::median_of_three;
using namespace std::chrono_literals;

TEST(exploration_budget, an_outlier_is_looked_into_at_once) {
  exploration_budget budget;
  median_of_three cost;
  EXPECT_FALSE(budget.add(cost, 100, 1000)) << "the first of a side";
  EXPECT_FALSE(budget.add(cost, 100, 1000));
  EXPECT_FALSE(budget.add(cost, 100, 1000));
  EXPECT_TRUE(budget.add(cost, 100, 1000));
  EXPECT_FALSE(budget.is_due(1001));
  EXPECT_FALSE(budget.add(cost, 900, 2000)) << "an interrupt, or a change";
  EXPECT_TRUE(budget.is_due(2001));
  EXPECT_TRUE(budget.add(cost, 900, 3000)) << "a change";
  EXPECT_EQ(cost.value(), 900U);
}

TEST(exploration_budget, looks_less_often_the_longer_nothing_changes) {
  exploration_budget budget;
  budget.timed(1);
  EXPECT_EQ(budget.calls_to_look(1), 64U);
  EXPECT_NEAR(budget.calls_to_look(fg::to_ticks(5us)), 10, 1) << "50 us at most";
  EXPECT_EQ(budget.calls_to_look(fg::to_ticks(1ms)), 1U);
  const auto looks_until = [&budget](std::uint32_t spacing) {
    int looks = 0;
    while (budget.calls_to_look(1) < spacing) {
      ++looks;
    }
    return looks;
  };
  EXPECT_NEAR(looks_until(128), 64 * 10'000.0 / 12, 1000) << "64 calls of 10 us, in looks of 12 ns";
  EXPECT_NEAR(looks_until(1024), (128 + 256 + 512) * 10'000.0 / 12, 10'000);
  budget.decide(100, 50, 0, true, 1000);
  EXPECT_EQ(budget.calls_to_look(1), 16U) << "another decision";
}

TEST(exploration_budget, the_first_call_after_a_wake_up_is_no_stall) {
  exploration_budget budget;
  EXPECT_FALSE(budget.waits_for_sleeper());
  EXPECT_FALSE(budget.is_worth_a_wake_up(fg::to_ticks(20us))) << "alone";
  EXPECT_FALSE(budget.waits_for_sleeper());
  EXPECT_TRUE(budget.is_worth_a_wake_up(fg::to_ticks(1s))) << "so soon after";
  EXPECT_TRUE(budget.waits_for_sleeper());
  EXPECT_FALSE(budget.waits_for_sleeper());
}

}  // namespace
