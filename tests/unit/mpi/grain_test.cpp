// How much work is done between looks at messages, and how much a message carries.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/mpi/grain.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace {

using fg::mpi::detail::kGrainNs;
using fg::mpi::detail::message_grain;
using fg::mpi::detail::process_grain;

// After calls that take `ns` for each item.
void settle(process_grain& grain, double ns) {
  for (int call = 0; call != 120; ++call) {
    grain.took(grain.items(), ns * static_cast<double>(grain.items()));
  }
}

TEST(process_grain, begins_with_one_item_and_comes_to_100_us) {
  process_grain grain;
  EXPECT_EQ(grain.items(), 1U);
  settle(grain, 50);
  EXPECT_NEAR(static_cast<double>(grain.items()), kGrainNs / 50, 1);
  settle(grain, 10'000);
  EXPECT_NEAR(static_cast<double>(grain.items()), 10, 1);
  settle(grain, 1e9);
  EXPECT_EQ(grain.items(), 1U);
  settle(grain, 0);
  EXPECT_GT(grain.items(), 10'000U);
}

TEST(process_grain, at_most_doubles) {
  process_grain grain;
  grain.took(1, 1);
  EXPECT_EQ(grain.items(), 2U);
  grain.took(2, 2);
  EXPECT_EQ(grain.items(), 4U);
}

TEST(message_grain, grows_until_a_message_carries_100_us) {
  message_grain grain;
  EXPECT_TRUE(grain.is_enough(1));
  // The work below each item takes 7 us.
  for (int message = 0; message != 20; ++message) {
    const std::size_t items = grain.least();
    grain.told({items, 7'000.0 * static_cast<double>(items)});
  }
  EXPECT_GE(7'000.0 * static_cast<double>(grain.least()), kGrainNs);
  EXPECT_LE(7'000.0 * static_cast<double>(grain.least()), 2 * kGrainNs);
  EXPECT_FALSE(grain.is_enough(grain.least() - 1));
}

TEST(message_grain, shrinks_when_messages_last_long_and_when_it_refuses) {
  message_grain grain;
  grain.told({1000, 1});
  EXPECT_EQ(grain.least(), 2000U);
  grain.told({2000, 10 * kGrainNs});
  EXPECT_LT(grain.least(), 2000U);
  for (int refusal = 0; refusal != 100; ++refusal) {
    grain.refused();
  }
  EXPECT_EQ(grain.least(), 1U);
  grain.told({});  // nothing was received
  EXPECT_EQ(grain.least(), 1U);
}

}  // namespace
