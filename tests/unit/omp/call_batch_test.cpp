// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/call_batch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/ticks.hpp"

namespace {

using fg::omp::runtime::call_batch;
using fg::test::ns;
using fg::test::us;

TEST(call_batch, has_sixteen_short_calls) {
  call_batch batch;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t call = 1; call < 16; ++call) {
      EXPECT_FALSE(batch.add(ns(100) + call)) << round;
    }
    EXPECT_TRUE(batch.add(ns(100))) << round;
    EXPECT_EQ(batch.mean(), ns(100) + 15 * 16 / 2 / 16);
    EXPECT_EQ(batch.least(), ns(100));
  }
}

TEST(call_batch, has_fewer_long_calls) {
  call_batch batch;
  EXPECT_TRUE(batch.add(us(60)));
  EXPECT_EQ(batch.mean(), us(60));
  EXPECT_FALSE(batch.add(us(20)));
  EXPECT_FALSE(batch.add(us(10)));
  EXPECT_TRUE(batch.add(us(90)));
  EXPECT_EQ(batch.mean(), (us(20) + us(10) + us(90)) / 3);
  EXPECT_EQ(batch.least(), us(10));
}

}  // namespace
