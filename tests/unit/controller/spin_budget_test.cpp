// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/spin_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

constexpr std::uint64_t kSleepPrice = 128'000;

fg::detail::spin_budget after(int pauses, std::uint64_t ticks) {
  fg::detail::spin_budget budget{kSleepPrice};
  for (int i = 0; i != pauses; ++i) {
    budget.add(ticks);
  }
  return budget;
}

TEST(spin_budget, is_the_price_of_a_sleep_without_a_history) {
  EXPECT_EQ(after(0, 0).ticks(), kSleepPrice);
  EXPECT_EQ(after(7, 10 * kSleepPrice).ticks(), kSleepPrice);
}

TEST(spin_budget, is_none_where_all_pauses_are_long) {
  EXPECT_EQ(after(8, kSleepPrice + 1).ticks(), 0U);
  EXPECT_EQ(after(1000, 100 * kSleepPrice).ticks(), 0U);
}

TEST(spin_budget, is_the_whole_price_where_no_pause_is_longer) {
  EXPECT_EQ(after(8, 900).ticks(), kSleepPrice);
  EXPECT_EQ(after(8, kSleepPrice / 2 + 1).ticks(), kSleepPrice);
}

// Tasks of a burst come within 3000 ticks, the next burst much later.
TEST(spin_budget, covers_the_short_ones_of_two_kinds) {
  fg::detail::spin_budget budget{kSleepPrice};
  for (int i = 0; i != 200; ++i) {
    budget.add(i % 10 == 0 ? 100 * kSleepPrice : 3000);
  }
  EXPECT_GE(budget.ticks(), 3000U);
  EXPECT_LE(budget.ticks(), 2 * 3000U);
}

TEST(spin_budget, forgets) {
  auto budget = after(1000, 100 * kSleepPrice);
  for (int i = 0; i != 200; ++i) {
    budget.add(kSleepPrice / 2);
  }
  EXPECT_GE(budget.ticks(), kSleepPrice / 2);
}

TEST(spin_budget, may_be_none_or_for_ever) {
  fg::detail::spin_budget none{0};
  fg::detail::spin_budget endless{std::uint64_t{1} << 62U};
  for (int i = 0; i != 20; ++i) {
    none.add(1000);
    endless.add(1'000'000'000'000);
  }
  EXPECT_EQ(none.ticks(), 0U);
  EXPECT_GE(endless.ticks(), std::uint64_t{1} << 55U);
}

}  // namespace
