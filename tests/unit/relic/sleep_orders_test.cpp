// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/sleep_orders.hpp"

#include <gtest/gtest.h>

namespace {

using fg::detail::sleep_orders;

TEST(sleep_orders, ask_for_nothing_at_first) {
  const sleep_orders orders;
  EXPECT_FALSE(sleep_orders::asks_for_sleep(orders.current(), 0));
  EXPECT_FALSE(sleep_orders::asks_to_stay_awake(orders.current()));
}

TEST(sleep_orders, sleep_holds_for_just_the_tasks_submitted_until_then) {
  sleep_orders orders;
  orders.allow_sleep(5);
  EXPECT_FALSE(sleep_orders::asks_for_sleep(orders.current(), 4));
  EXPECT_TRUE(sleep_orders::asks_for_sleep(orders.current(), 5));
  EXPECT_FALSE(sleep_orders::asks_for_sleep(orders.current(), 6));
  EXPECT_FALSE(sleep_orders::asks_to_stay_awake(orders.current()));
}

TEST(sleep_orders, the_latest_one_is_in_force) {
  sleep_orders orders;
  orders.allow_sleep(0);
  orders.stay_awake();
  EXPECT_TRUE(sleep_orders::asks_to_stay_awake(orders.current()));
  EXPECT_FALSE(sleep_orders::asks_for_sleep(orders.current(), 0));
  orders.allow_sleep(0);
  EXPECT_TRUE(sleep_orders::asks_for_sleep(orders.current(), 0));
}

TEST(sleep_orders, two_hints_to_stay_awake_are_two_orders) {
  sleep_orders orders;
  orders.stay_awake();
  const std::uint64_t first = orders.current();
  orders.stay_awake();
  EXPECT_NE(orders.current(), first);
}

}  // namespace
