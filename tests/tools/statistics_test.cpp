// The statistics of finegrain-omp --compare.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/statistics.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace {

using fg::omp_command::interval;
using fg::omp_command::median;
using fg::omp_command::median_interval;

// 1, 2, ... count, the last first.
std::vector<double> ranks(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.rbegin(), values.rend(), 1.0);
  return values;
}

TEST(median, is_the_middle_or_between_the_two) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0}), 5.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0, 2.0}), 3.5);
}

TEST(median_interval, is_empty_where_few_values_are_not_sure_enough) {
  EXPECT_FALSE(median_interval({}, 0.95));
  for (std::size_t count = 1; count < 6; ++count) {
    EXPECT_FALSE(median_interval(ranks(count), 0.95)) << count;
  }
  EXPECT_TRUE(median_interval(ranks(5), 0.93));  // 1 - 2 / 2^5 is 0.9375
}

// The ranks for 95 %: tables of the sign test.
TEST(median_interval, has_the_ranks_of_the_tables) {
  struct row {
    std::size_t count;
    double low;
    double high;
  };
  for (const row& expected :
       {row{6, 1, 6}, row{8, 1, 8}, row{9, 2, 8}, row{12, 3, 10}, row{20, 6, 15}, row{25, 8, 18},
        row{100, 40, 61}, row{1000, 469, 532}}) {
    const std::optional<interval> found = median_interval(ranks(expected.count), 0.95);
    ASSERT_TRUE(found) << expected.count;
    EXPECT_EQ(found->low, expected.low) << expected.count;
    EXPECT_EQ(found->high, expected.high) << expected.count;
  }
}

}  // namespace
