// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/round_trip_meter.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "finegrain/core/clock.hpp"

namespace {

using fg::detail::round_trip_meter;
using namespace std::chrono_literals;

bool take(std::chrono::nanoseconds time) {
  const std::uint64_t until = fg::ticks() + fg::to_ticks(time);
  while (fg::ticks() < until) {
  }
  return true;
}

TEST(round_trip_meter, is_due_at_first_and_again_when_old) {
  round_trip_meter meter;
  EXPECT_EQ(meter.ticks(), 0U);
  EXPECT_TRUE(meter.is_due(fg::ticks(), false));
  meter.measure([] { return take(100ns); });
  const std::uint64_t now = fg::ticks();
  EXPECT_FALSE(meter.is_due(now, false));
  EXPECT_TRUE(meter.is_due(now + fg::to_ticks(101s), false));
  EXPECT_FALSE(meter.is_due(now + fg::to_ticks(50ms), true));
  meter.forget();
  EXPECT_TRUE(meter.is_due(fg::ticks(), false));
}

TEST(round_trip_meter, tells_the_median) {
  round_trip_meter meter;
  int count = 0;
  meter.measure([&count] { return take(++count % 16 == 0 ? 200'000ns : 2000ns); });
  EXPECT_GE(meter.ticks(), fg::to_ticks(2000ns));
  EXPECT_LT(meter.ticks(), fg::to_ticks(50'000ns));
}

TEST(round_trip_meter, ends_at_an_interruption_and_waits_the_longer) {
  round_trip_meter meter;
  meter.measure([] { return take(100ns); });
  const std::uint64_t before = meter.ticks();
  int count = 0;
  meter.measure([&count] {
    take(++count == 20 ? 4ms : 1us);
    return count != 20;
  });
  EXPECT_EQ(count, 20);
  EXPECT_EQ(meter.ticks(), before);
  EXPECT_FALSE(meter.is_due(fg::ticks() + fg::to_ticks(1s), false));
}

TEST(round_trip_meter, forgives_the_first_one) {
  round_trip_meter meter;
  int count = 0;
  meter.measure([&count] {
    take(200ns);
    return ++count != 1;
  });
  EXPECT_GT(count, 20);
  EXPECT_GT(meter.ticks(), 0U);
}

}  // namespace
