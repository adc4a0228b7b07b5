// How loops are split into chunks.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/relic/loop_layout.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace {

using fg::detail::loop_cost;
using fg::detail::loop_layout;
using fg::detail::loop_shape;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr loop_cost kUnknown{};

TEST(loop_layout, covers_every_iteration_once_whatever_is_known) {
  for (const std::uint64_t n :
       std::initializer_list<std::uint64_t>{1, 2, 3, 64, 65, 127, 128, 129, 100'000, kHuge}) {
    for (const std::uint64_t grain :
         std::initializer_list<std::uint64_t>{0, 1, 3, 64, 1'000'000, kHuge}) {
      for (const std::uint64_t most : {64U, fg::detail::shared_range::kMostChunks}) {
        for (const double serial : {0.0, 1.0, 500.0, 5000.0, 1e12}) {
          const loop_layout layout{{.iterations = n, .grain = grain, .most_chunks = most},
                                   {.serial = serial, .round_trip = 300}};
          ASSERT_GE(layout.chunks(), 1U);
          ASSERT_LE(layout.chunks(), most);
          ASSERT_GE(layout.chunk(), grain);
          ASSERT_EQ(layout.begin_of(0), 0U);
          ASSERT_EQ(layout.begin_of(layout.chunks()), n);
          ASSERT_LT(layout.begin_of(layout.chunks() - 1), n) << "no chunk is empty";
          ASSERT_LE(n - layout.begin_of(layout.chunks() - 1), layout.chunk());
          if (layout.is_shareable()) {
            ASSERT_LT(0U, layout.mains_grant());
            ASSERT_LE(layout.mains_grant(), layout.split());
            ASSERT_LT(layout.split(), layout.assistants_grant());
            ASSERT_LE(layout.assistants_grant(), layout.chunks());
          }
        }
      }
    }
  }
}

TEST(loop_layout, takes_the_grain_as_it_is) {
  const loop_layout layout{{.iterations = 1000, .grain = 7}, kUnknown};
  EXPECT_EQ(layout.chunk(), 7U);
  EXPECT_EQ(layout.chunks(), 143U);
  EXPECT_EQ(layout.mains_grant(), 1U);
  EXPECT_EQ(layout.assistants_grant(), layout.split() + 1);
}

TEST(loop_layout, makes_chunks_longer_where_there_would_be_too_many) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  const loop_layout layout{{.iterations = n, .grain = 1}, kUnknown};
  EXPECT_EQ(layout.chunk(), 257U);
}

TEST(loop_layout, is_not_shareable_with_one_chunk) {
  EXPECT_FALSE((loop_layout{{.iterations = 1}, kUnknown}.is_shareable()));
  EXPECT_FALSE((loop_layout{{.iterations = 9, .grain = 9}, kUnknown}.is_shareable()));
  EXPECT_TRUE((loop_layout{{.iterations = 10, .grain = 9}, kUnknown}.is_shareable()));
}

TEST(loop_layout, cuts_a_short_loop_in_two_and_pays_for_the_hand_off) {
  const loop_layout layout{{.iterations = 1000}, {.serial = 1500, .round_trip = 300}};
  EXPECT_EQ(layout.chunks(), 2U);
  EXPECT_TRUE(layout.grants_all());
  EXPECT_EQ(layout.begin_of(layout.split()), 600U) << "(1500 + 300) / 2 of 1500";
}

TEST(loop_layout, shares_a_longer_one_in_chunks_of_a_round_trip_and_up) {
  const loop_layout longer{{.iterations = 1000}, {.serial = 3000, .round_trip = 300}};
  EXPECT_FALSE(longer.grants_all());
  EXPECT_EQ(longer.chunk(), 100U);
  const loop_layout long_one{{.iterations = 1000}, {.serial = 1e9, .round_trip = 300}};
  EXPECT_EQ(long_one.chunks(), 63U);
  EXPECT_EQ(long_one.mains_grant(), 15U);
  EXPECT_EQ(long_one.assistants_grant(), long_one.split() + 15U);
}

TEST(loop_layout, fixes_chunks_by_length_and_grain_alone) {
  for (const std::uint64_t grain : {0UL, 5UL, 400UL}) {
    const loop_shape shape{
        .iterations = 1000, .grain = grain, .most_chunks = 64, .fixed_chunks = true};
    for (const double serial : {0.0, 1.0, 1500.0, 1e9}) {
      EXPECT_EQ((loop_layout{shape, {.serial = serial, .round_trip = 300}}.chunk()),
                (loop_layout{shape, kUnknown}.chunk()));
    }
  }
}

}  // namespace
