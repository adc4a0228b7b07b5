// SPDX-License-Identifier: Apache-2.0
#include "finegrain/wait/sleep_gate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace {

constexpr auto kFoundNothing = [] { return false; };

class sleep_gate : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !fg::detail::asymmetric_fence::available()) {
      GTEST_SKIP() << "this system has no membarrier";
    }
  }
  fg::detail::sleep_gate gate_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(fences, sleep_gate, testing::Bool(), [](const auto& param_info) {
  return param_info.param ? "asymmetric" : "full";
});

TEST_P(sleep_gate, asks_for_attention_only_where_there_is_a_reason) {
  EXPECT_EQ(gate_.needs_attention(), !GetParam())
      << "without membarrier the waker has a fence to do";
  EXPECT_FALSE(gate_.is_asleep());
  EXPECT_FALSE(gate_.wake_sleeper());
  gate_.stay_alert();
  EXPECT_TRUE(gate_.needs_attention());
  EXPECT_FALSE(gate_.is_asleep());
}

TEST_P(sleep_gate, does_not_sleep_over_work) {
  EXPECT_FALSE(gate_.sleep_unless([this] {
    EXPECT_TRUE(gate_.is_asleep()) << "announced before the look";
    return true;
  }));
  EXPECT_FALSE(gate_.is_asleep());
}

TEST_P(sleep_gate, does_not_sleep_when_woken_before) {
  EXPECT_TRUE(gate_.sleep_unless([this] {
    EXPECT_TRUE(gate_.needs_attention());
    EXPECT_TRUE(gate_.wake_sleeper());
    return false;
  }));
  EXPECT_FALSE(gate_.is_asleep());
}

TEST_P(sleep_gate, sleeps_until_woken) {
  fg::atomic<bool> up{false};
  std::thread sleeper{[&] {
    EXPECT_TRUE(gate_.sleep_unless(kFoundNothing));
    up = true;
  }};
  while (!gate_.is_asleep()) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_FALSE(up);
  EXPECT_TRUE(gate_.wake_sleeper());
  sleeper.join();
  EXPECT_TRUE(up);
  EXPECT_FALSE(gate_.wake_sleeper());
}

TEST_P(sleep_gate, dozes_until_it_is_told_to_get_up) {
  if (!fg::detail::futex::kSleepsForATime) {
    GTEST_SKIP() << "this system does not sleep for a limited time";
  }
  using ns = std::chrono::nanoseconds;
  int looks = 0;
  EXPECT_TRUE(gate_.doze_unless(kFoundNothing, ns{1000}, [&] {
    EXPECT_EQ(gate_.look_at_sleeper(), fg::detail::sleep_gate::sleeper::dozing);
    EXPECT_TRUE(gate_.is_asleep());
    return ns{++looks == 3 ? 0 : 1000};
  }));
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(gate_.look_at_sleeper(), fg::detail::sleep_gate::sleeper::awake);
}

TEST_P(sleep_gate, wakes_one_who_dozes) {
  std::thread sleeper{[this] {
    const auto long_time = std::chrono::hours{1};
    EXPECT_TRUE(gate_.doze_unless(kFoundNothing, long_time, [&] { return long_time; }));
  }};
  while (!gate_.wake_sleeper()) {
    std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_EQ(gate_.look_at_sleeper(), fg::detail::sleep_gate::sleeper::awake);
}

TEST_P(sleep_gate, tells_a_sleeper_from_one_who_dozes) {
  EXPECT_TRUE(gate_.sleep_unless([this] {
    EXPECT_EQ(gate_.look_at_sleeper(), fg::detail::sleep_gate::sleeper::asleep);
    return !gate_.wake_sleeper();
  }));
}

}  // namespace
