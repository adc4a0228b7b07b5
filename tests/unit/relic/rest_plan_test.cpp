// What an assistant does in its pauses, over times that the test makes up.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/rest_plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "finegrain/wait/futex.hpp"
#include "support/ticks.hpp"

namespace {

using fg::detail::rest_plan;
using fg::test::us;
using namespace std::chrono_literals;

// Not multiples of one, which a coarse clock rounds.
std::uint64_t ms(std::int64_t count) { return us(1000 * count); }

const std::uint64_t period_of_plan = ms(10);

class rest_plan_of_relic : public testing::Test {
 protected:
  void SetUp() override {
    if (!fg::detail::futex::kSleepsForATime) {
      GTEST_SKIP() << "this system has no sleep for a time";
    }
  }

  // A task arrives at an assistant that sleeps since `now_`, and is woken for it.
  void wake_for_task_at(std::uint64_t at) {
    plan_.came_during_sleep(at);
    plan_.was_woken();
    plan_.end_pause(at + us(40));
    plan_.begin_pause(now_ = at + us(60));
  }

  // Periodic tasks until the assistant knows them. Returns when the last one came.
  std::uint64_t learn() {
    plan_.begin_pause(now_);
    std::uint64_t at = now_;
    for (int i = 0; i != 12; ++i) {
      wake_for_task_at(at += period_of_plan);
    }
    return at;
  }

  rest_plan plan_{{}};
  std::uint64_t now_ = fg::to_ticks(1s);
};

TEST_F(rest_plan_of_relic, looks_for_its_budget_and_sleeps_until_woken) {
  EXPECT_FALSE(plan_.is_pause());
  plan_.begin_pause(now_);
  EXPECT_TRUE(plan_.is_pause());
  EXPECT_FALSE(plan_.has_looked_enough(now_ + us(199)));
  EXPECT_TRUE(plan_.has_looked_enough(now_ + us(201)));
  EXPECT_EQ(plan_.sleep_for(now_ + us(201)), 0ns);
  plan_.end_pause(now_ + ms(1));
  EXPECT_FALSE(plan_.is_pause());
}

TEST_F(rest_plan_of_relic, looks_anew_when_woken) {
  learn();
  EXPECT_TRUE(plan_.has_looked_enough(now_ + us(10))) << "it knows that nothing comes soon";
  plan_.was_woken();
  EXPECT_FALSE(plan_.has_looked_enough(now_ + us(20)));
  EXPECT_FALSE(plan_.has_looked_enough(now_ + us(200)));
  EXPECT_TRUE(plan_.has_looked_enough(now_ + us(240)));
}

TEST_F(rest_plan_of_relic, wakes_before_periodic_tasks_and_looks_until_they_are_overdue) {
  const std::uint64_t last = learn();
  EXPECT_NEAR(fg::to_ns(plan_.period()), 10e6, 1e5);
  const auto sleep = plan_.sleep_for(now_);
  EXPECT_GT(sleep, 9ms);
  EXPECT_LT(sleep, 10ms);
  EXPECT_FALSE(plan_.expects_task(now_ + ms(1))) << "the timer is early";
  EXPECT_TRUE(plan_.expects_task(last + period_of_plan - us(20)));
  EXPECT_EQ(plan_.early_wake_ups(), 1U);
  EXPECT_FALSE(plan_.has_looked_enough(last + period_of_plan + us(20)));
  EXPECT_TRUE(plan_.has_looked_enough(last + period_of_plan + us(300)));
  EXPECT_GT(plan_.sleep_for(last + period_of_plan + us(300)), 9ms) << "the next one may come";
}

// A task came just before, and the main thread has run it.
TEST_F(rest_plan_of_relic, does_not_expect_what_has_come) {
  const std::uint64_t last = learn();
  static_cast<void>(plan_.sleep_for(now_));
  plan_.came_during_sleep(last + period_of_plan - us(50));
  EXPECT_FALSE(plan_.expects_task(last + period_of_plan));
  const auto sleep = plan_.sleep_for(last + period_of_plan);
  EXPECT_GT(sleep, 9ms);
  EXPECT_LT(sleep, 10ms);
}

TEST_F(rest_plan_of_relic, dozes_while_it_is_left_asleep_but_not_for_ever) {
  plan_.begin_pause(now_);
  plan_.leave_asleep(true);
  const auto doze = plan_.sleep_for(now_ + ms(1));
  EXPECT_GT(doze, rest_plan::kDoze / 2);
  EXPECT_LE(doze, rest_plan::kDoze);
  EXPECT_FALSE(plan_.expects_task(now_ + ms(3)));
  EXPECT_EQ(plan_.sleep_for(now_ + ms(2000)), 0ns);
  plan_.came_during_sleep(now_ + ms(2001));
  EXPECT_GT(plan_.sleep_for(now_ + ms(2002)), 0ns);
  plan_.leave_asleep(false);
  EXPECT_EQ(plan_.sleep_for(now_ + ms(2003)), 0ns);
}

TEST_F(rest_plan_of_relic, tells_whether_it_looks_soon) {
  plan_.begin_pause(now_);
  plan_.leave_asleep(true);
  static_cast<void>(plan_.sleep_for(now_));
  EXPECT_TRUE(plan_.looks_soon(now_, true));
  EXPECT_FALSE(plan_.looks_soon(now_, false)) << "a wake-up would be faster";
  EXPECT_TRUE(plan_.looks_soon(now_ + ms(2) - us(20), false));
}

TEST_F(rest_plan_of_relic, has_an_option) {
  rest_plan never{{.anticipation_share = 0}};
  std::uint64_t at = now_;
  never.begin_pause(at);
  for (int i = 0; i != 20; ++i) {
    never.came_during_sleep(at += period_of_plan);
    never.was_woken();
    never.end_pause(at + us(40));
    never.begin_pause(at + us(60));
  }
  EXPECT_EQ(never.sleep_for(at + ms(1)), 0ns);
  EXPECT_EQ(never.period(), 0U);
}

}  // namespace
