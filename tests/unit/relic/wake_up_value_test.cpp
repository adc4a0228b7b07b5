// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/wake_up_value.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace {

using namespace std::chrono_literals;

const std::uint64_t microsecond = fg::to_ticks(1us);
const std::uint64_t millisecond = fg::to_ticks(1ms);

// A burst of one call at `now`, whose task the main thread runs although it woke the assistant.
void help_once(fg::detail::wake_up_value& value, std::uint64_t now) {
  EXPECT_TRUE(value.asked(now, 0));
  value.helped(now + 10 * microsecond);
}

// After as many of them as it takes; `now`: the time then. Returns how many.
int until_in_vain(fg::detail::wake_up_value& value, std::uint64_t& now) {
  for (int count = 0; count != 10'000; ++count) {
    now += millisecond;
    EXPECT_TRUE(value.asked(now, 0));
    if (value.is_vain()) {
      return count;
    }
    value.helped(now + 10 * microsecond);
  }
  return -1;
}

TEST(wake_up_value, is_none_after_two_that_were_in_vain) {
  fg::detail::wake_up_value value;
  help_once(value, millisecond);
  EXPECT_FALSE(value.is_vain());
  help_once(value, 2 * millisecond);
  EXPECT_FALSE(value.is_vain());
  help_once(value, 3 * millisecond);
  EXPECT_TRUE(value.is_vain());
}

TEST(wake_up_value, is_asked_once_for_a_burst) {
  fg::detail::wake_up_value value;
  EXPECT_TRUE(value.asked(millisecond, 0));
  EXPECT_FALSE(value.asked(millisecond + microsecond, 0));
  value.helped(millisecond + 100 * microsecond);
  EXPECT_FALSE(value.asked(millisecond + 200 * microsecond, 0));
  EXPECT_TRUE(value.asked(3 * millisecond, 0));
}

TEST(wake_up_value, is_there_again_in_a_burst_that_takes_long) {
  fg::detail::wake_up_value value;
  std::uint64_t now = 0;
  EXPECT_EQ(until_in_vain(value, now), 2);
  value.helped(now + 20 * microsecond);
  EXPECT_TRUE(value.is_vain());
  EXPECT_FALSE(value.asked(now + 100 * microsecond, 0));
  value.helped(now + 160 * microsecond);
  EXPECT_FALSE(value.is_vain());
}

TEST(wake_up_value, is_there_again_when_nobody_waits) {
  fg::detail::wake_up_value value;
  std::uint64_t now = 0;
  until_in_vain(value, now);
  value.leave_asleep();
  EXPECT_TRUE(value.left_asleep());
  EXPECT_FALSE(value.asked(now + 160 * microsecond, 0) && value.is_vain());
  EXPECT_FALSE(value.left_asleep());
}

// Whoever calls so now and then is not left to himself again and again.
TEST(wake_up_value, is_trusted_less_each_time) {
  fg::detail::wake_up_value value;
  std::uint64_t now = 0;
  int before = until_in_vain(value, now);
  for (int i = 0; i != 3; ++i) {
    value.helped(now += 2 * millisecond);  // a long one
    const int after = until_in_vain(value, now);
    EXPECT_GE(after, 3 * before);
    before = after;
  }
}

TEST(wake_up_value, is_shown_by_tasks_that_the_assistant_runs) {
  fg::detail::wake_up_value value;
  std::uint64_t by_assistant = 0;
  for (std::uint64_t now = millisecond; now != 20 * millisecond; now += millisecond) {
    EXPECT_TRUE(value.asked(now, by_assistant));
    EXPECT_FALSE(value.is_vain());
    value.helped(now + 10 * microsecond);
    by_assistant += 10;
  }
}

TEST(wake_up_value, is_not_shown_by_a_single_one_which_may_have_come_late) {
  fg::detail::wake_up_value value;
  std::uint64_t now = 0;
  until_in_vain(value, now);
  EXPECT_TRUE(value.asked(now + millisecond, 1));
  EXPECT_TRUE(value.is_vain());
}

// An assistant that is never woken would never learn when to be awake.
TEST(wake_up_value, lets_learn_rarely) {
  fg::detail::wake_up_value value;
  int learned = 0;
  for (int i = 0; i != 10'000; ++i) {
    learned += value.lets_learn() ? 1 : 0;
  }
  EXPECT_GE(learned, 10);
  EXPECT_LE(learned, 10'000 / 64 + 3);
}

}  // namespace
