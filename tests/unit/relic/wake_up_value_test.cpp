// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/wake_up_value.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace {

using namespace std::chrono_literals;

const std::uint64_t kMicrosecond = fg::to_ticks(1us);
const std::uint64_t kMillisecond = fg::to_ticks(1ms);

// Two calls in which the main thread ran what the woken assistant was late for.
fg::detail::wake_up_value in_vain() {
  fg::detail::wake_up_value value;
  for (std::uint64_t now : {kMillisecond, 2 * kMillisecond}) {
    EXPECT_TRUE(value.asked(now));
    EXPECT_FALSE(value.is_vain());
    value.helped(now + 10 * kMicrosecond);
  }
  return value;
}

TEST(wake_up_value, is_none_after_two_that_were_in_vain) { EXPECT_TRUE(in_vain().is_vain()); }

TEST(wake_up_value, is_asked_once_for_a_burst) {
  fg::detail::wake_up_value value;
  EXPECT_TRUE(value.asked(kMillisecond));
  EXPECT_FALSE(value.asked(kMillisecond + kMicrosecond));
  EXPECT_TRUE(value.is_open());
  value.helped(kMillisecond + 2 * kMicrosecond);
  EXPECT_FALSE(value.is_open());
  EXPECT_TRUE(value.asked(kMillisecond + 3 * kMicrosecond));
  EXPECT_TRUE(value.asked(3 * kMillisecond)) << "the assistant has run the others meanwhile";
}

TEST(wake_up_value, is_there_again_when_work_takes_longer) {
  auto value = in_vain();
  EXPECT_TRUE(value.asked(3 * kMillisecond));
  value.helped(3 * kMillisecond + 200 * kMicrosecond);
  EXPECT_FALSE(value.is_vain());
}

TEST(wake_up_value, is_there_again_when_nobody_waits) {
  auto value = in_vain();
  EXPECT_TRUE(value.asked(3 * kMillisecond));
  value.leave_asleep();
  EXPECT_TRUE(value.left_asleep());
  EXPECT_TRUE(value.asked(5 * kMillisecond));
  EXPECT_FALSE(value.is_vain());
}

TEST(wake_up_value, is_not_changed_by_an_assistant_that_has_come) {
  auto value = in_vain();
  EXPECT_TRUE(value.asked(3 * kMillisecond));
  EXPECT_TRUE(value.asked(5 * kMillisecond));
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
