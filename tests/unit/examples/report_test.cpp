// The interval that an example prints.
// SPDX-License-Identifier: Apache-2.0
#include "support/report.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

// The probability that fewer than k of `count` coin tosses come up heads.
double below(int k, int count) {
  double sum = 0;
  for (int heads = 0; heads < k; ++heads) {
    sum += std::exp(std::lgamma(count + 1.0) - std::lgamma(heads + 1.0) -
                    std::lgamma(count - heads + 1.0) - count * std::log(2.0));
  }
  return sum;
}

TEST(median_bound, is_the_last_with_a_chance_of_less_than_a_fortieth) {
  for (const int count : {1, 2, 5, 6, 7, 8, 9, 20, 99, 100, 1000, 1001, 1100, 2000, 20'000}) {
    const int k = median_bound(count);
    EXPECT_LE(below(k, count), 0.025) << count;
    EXPECT_GT(below(k + 1, count), 0.025) << count;
  }
  EXPECT_EQ(median_bound(5), 0);
  EXPECT_EQ(median_bound(6), 1);
}

}  // namespace
