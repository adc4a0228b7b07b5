// SPDX-License-Identifier: Apache-2.0
#include "finegrain/wait/spin_meter.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "finegrain/wait/wait.hpp"

namespace {

using fg::detail::spin_meter;

TEST(spin_meter, knows_nothing_before_a_timed_span) {
  spin_meter meter;
  meter.add_looks(1000);
  EXPECT_EQ(meter.spun_ticks(), 0.0);
}

TEST(spin_meter, is_looks_times_the_mean_look) {
  spin_meter meter;
  meter.add_timed(64, 640);
  meter.add_timed(64, 1280);
  meter.add_looks(1000);
  EXPECT_DOUBLE_EQ(meter.spun_ticks(), 15'000.0);
}

// 2^32 polls take about 100 s without work.
TEST(spin_meter, counts_the_looks_of_a_long_wait) {
  static_assert(sizeof(fg::spin_wait<>{}.looks()) == sizeof(std::uint64_t));
  spin_meter meter;
  meter.add_timed(64, 640);
  meter.add_looks(std::uint64_t{1} << 33U);
  EXPECT_DOUBLE_EQ(meter.spun_ticks(), 10.0 * static_cast<double>(std::uint64_t{1} << 33U));
}

TEST(spin_meter, leaves_out_a_span_with_a_pre_emption) {
  spin_meter meter;
  meter.add_timed(64, 640);
  meter.add_timed(64, 2561);
  meter.add_looks(64);
  EXPECT_DOUBLE_EQ(meter.spun_ticks(), 640.0);
  meter.add_timed(64, 2560);
  EXPECT_DOUBLE_EQ(meter.spun_ticks(), 1600.0);
}

}  // namespace
