// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/round_trip.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "support/on_thread.hpp"

namespace {

TEST(round_trip, ties_the_caller_and_takes_time) {
  fg::test::on_thread([] {
    const std::vector<int> cpus = fg::usable_cpus();
    if (cpus.size() < 2) {
      GTEST_SKIP() << "one usable CPU";
    }
    EXPECT_GT(fg::measure_round_trip_ns(cpus.back(), cpus.front(), 100), 1.0);
    EXPECT_EQ(fg::usable_cpus(), std::vector{cpus.back()});
  });
}

// The message for these two CPUs; nothing without a complaint.
std::optional<std::string> complaint(int cpu, int other_cpu) {
  std::optional<std::string> words;
  fg::test::on_thread([&] {
    try {
      static_cast<void>(fg::measure_round_trip_ns(cpu, other_cpu, 100));
    } catch (const std::runtime_error& error) {
      words = error.what();
    }
  });
  return words;
}

TEST(round_trip, refuses_cpus_that_can_not_be_used) {
  const int cpu = fg::usable_cpus().front();
  const std::string words = "cannot run on CPU 5000: Invalid argument";
  EXPECT_EQ(complaint(5000, cpu), words);
  EXPECT_EQ(complaint(cpu, 5000), words);
}

}  // namespace
