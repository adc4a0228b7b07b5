// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/rhythm.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "finegrain/core/clock.hpp"

namespace {

using fg::detail::rhythm;
using namespace std::chrono_literals;

const std::uint64_t first_arrival = fg::to_ticks(1s);
const std::uint64_t ten_ms = fg::to_ticks(10ms);
const std::uint64_t one_us = fg::to_ticks(1us);

// `count` arrivals from `first_arrival` on; that number n is late by `jitter(n)`. Returns the last one.
template <class Jitter>
std::uint64_t arrive(rhythm& learner, int count, Jitter jitter) {
  std::uint64_t at = 0;
  for (int n = 0; n != count; ++n) {
    at = first_arrival + static_cast<std::uint64_t>(n) * ten_ms + jitter(n);
    learner.arrived(at);
  }
  return at;
}

constexpr auto kOnTime = [](int) { return std::uint64_t{0}; };

TEST(rhythm, knows_nothing_at_first) {
  rhythm learner{0.05};
  EXPECT_EQ(learner.next_wake_up(first_arrival), 0U);
  const std::uint64_t last = arrive(learner, 6, kOnTime);
  EXPECT_EQ(learner.next_wake_up(last), 0U);
  EXPECT_EQ(learner.period(), 0U);
}

TEST(rhythm, wakes_up_shortly_before_the_next_arrival) {
  rhythm learner{0.05};
  const std::uint64_t last = arrive(learner, 10, kOnTime);
  EXPECT_EQ(learner.period(), ten_ms);
  const std::uint64_t wake_up = learner.next_wake_up(last);
  EXPECT_LT(wake_up, last + ten_ms);
  EXPECT_GT(wake_up, last + ten_ms - 200 * one_us);
  EXPECT_GT(learner.overdue_at(wake_up), last + ten_ms);
  EXPECT_LT(learner.overdue_at(wake_up), last + ten_ms + 200 * one_us);
}

TEST(rhythm, is_not_confused_by_a_missed_period) {
  rhythm learner{0.05};
  const std::uint64_t last =
      arrive(learner, 20, [](int n) { return n < 15 ? 0 : std::uint64_t{3} * ten_ms; });
  EXPECT_EQ(learner.period(), ten_ms);
  EXPECT_GT(learner.next_wake_up(last), last);
}

TEST(rhythm, expects_the_following_ones_where_some_do_not_come) {
  rhythm learner{0.05};
  const std::uint64_t last = arrive(learner, 10, kOnTime);
  const std::uint64_t third = learner.next_wake_up(last + 2 * ten_ms + one_us);
  EXPECT_GT(third, last + 2 * ten_ms);
  EXPECT_LT(third, last + 3 * ten_ms);
  EXPECT_EQ(learner.next_wake_up(last + 20 * ten_ms), 0U) << "it has ended";
}

TEST(rhythm, takes_no_more_than_its_share) {
  const auto jitter = [](int n) { return n % 2 == 0 ? 0 : ten_ms / 20; };  // gaps of 9.5, 10.5 ms
  rhythm for_little{0.05};
  rhythm for_more{0.2};
  const std::uint64_t last = arrive(for_little, 20, jitter);
  arrive(for_more, 20, jitter);
  EXPECT_EQ(for_little.next_wake_up(last), 0U);
  EXPECT_GT(for_more.next_wake_up(last), last);

  for (const double share : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    rhythm never{share};
    EXPECT_EQ(never.next_wake_up(arrive(never, 20, kOnTime)), 0U);
  }
  rhythm always{std::numeric_limits<double>::infinity()};
  EXPECT_NE(always.next_wake_up(arrive(always, 20, jitter)), 0U);
}

TEST(rhythm, is_not_for_periods_about_as_long_as_a_wake_up) {
  rhythm learner{1};
  std::uint64_t at = first_arrival;
  for (int n = 0; n != 20; ++n) {
    learner.arrived(at += 500 * one_us);
  }
  EXPECT_EQ(learner.next_wake_up(at), 0U);
}

// What came of it moves the wake-up: much for one that was late, a little for one that was early.
TEST(rhythm, learns_how_early) {
  rhythm learner{0.05};
  const std::uint64_t last = arrive(learner, 10, kOnTime);
  const std::uint64_t before = learner.next_wake_up(last);
  learner.woke_late(40 * one_us);
  EXPECT_EQ(learner.next_wake_up(last), before - 40 * one_us / 2);
  for (int i = 0; i != 10; ++i) {
    learner.woke_early(40 * one_us, last);
  }
  EXPECT_GT(learner.next_wake_up(last), before - 40 * one_us / 2);
}

TEST(rhythm, never_wakes_much_too_early) {
  rhythm learner{0.05};
  std::uint64_t last = arrive(learner, 10, kOnTime);
  for (int i = 0; i != 1000; ++i) {
    learner.woke_late(100 * one_us);
  }
  learner.arrived(last += ten_ms);
  EXPECT_GE(learner.next_wake_up(last), last + ten_ms - ten_ms / 20 - 100 * one_us);
}

// What was spent in vain is earned again by time.
TEST(rhythm, does_not_overdraw_its_share) {
  rhythm learner{0.05};
  const std::uint64_t last = arrive(learner, 20, kOnTime);
  std::uint64_t spent = 0;
  std::uint64_t at = last;
  for (std::uint64_t next = 0; (next = learner.next_wake_up(at)) != 0;) {
    at = next + ten_ms / 10;  // twice the share of a period
    spent += ten_ms / 10;
    learner.woke_in_vain(ten_ms / 10, at);
  }
  EXPECT_GT(spent, 0U);
  EXPECT_LE(static_cast<double>(spent), 0.05 * static_cast<double>(at - last + 4 * ten_ms));
}

TEST(rhythm, learns_another_period) {
  rhythm learner{0.05};
  std::uint64_t at = arrive(learner, 40, kOnTime);
  for (int n = 0; n != 16; ++n) {
    learner.arrived(at += 2 * ten_ms);
  }
  EXPECT_EQ(learner.period(), 2 * ten_ms);
}

}  // namespace
