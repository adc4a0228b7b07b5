// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/kernel.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "kernels/spin/spin_case.hpp"
#include "kernels/spin/spin_kernel.hpp"

namespace fg::bench {
namespace {

TEST(lcg_chain, walk_and_jump_meet) {
  EXPECT_EQ(walk_lcg_chain(7, 0), 7U);
  EXPECT_EQ(walk_lcg_chain(7, 1), 7 * kLcgFactor + kLcgTerm);
  EXPECT_EQ(jump_lcg_chain(7, 0), 7U);
  for (std::uint64_t steps = 0; steps < 300; ++steps) {
    EXPECT_EQ(walk_lcg_chain(steps + 5, steps), jump_lcg_chain(steps + 5, steps)) << steps;
  }
  EXPECT_EQ(walk_lcg_chain(1, 1'000'003), jump_lcg_chain(1, 1'000'003));
}

TEST(spin, check_fails_for_another_length) {
  spin_kernel kernel(100);
  EXPECT_TRUE(kernel.check().has_value());
  kernel.run();
  EXPECT_EQ(kernel.check(), std::nullopt);
  kernel.clear();
  EXPECT_TRUE(kernel.check().has_value());
}

TEST(spin_case, names) {
  EXPECT_EQ(parse_spin_case_ns("spin-100ns"), 100U);
  EXPECT_EQ(parse_spin_case_ns("spin-10us"), 10'000U);
  EXPECT_EQ(parse_spin_case_ns("spin-5ms"), 5'000'000U);
  for (const char* const name :
       {"spin", "spin-", "spin-ns", "spin-0ns", "spin-010ns", "spin-10", "spin-10xx", "spin-10s",
        "spin-10nss", "spin--1ns", "spin-+1ns", "spin-1.5us", "spin- 1ns", "Spin-1ns", "spun-1ns",
        "spin-99999999999999999999ns", "spin-9999999999999999999ms", ""}) {
    EXPECT_EQ(parse_spin_case_ns(name), std::nullopt) << name;
  }
}

TEST(spin_case, length_becomes_steps) {
  const auto steps_of = [](const char* name, double steps_per_us) {
    const auto kernel = make_kernel(name, {.spin_steps_per_us = steps_per_us});
    return dynamic_cast<const spin_kernel&>(*kernel).num_steps();
  };
  EXPECT_EQ(steps_of("spin-100ns", 1000), 100U);
  EXPECT_EQ(steps_of("spin-10us", 900), 9'000U);
  EXPECT_EQ(steps_of("spin-5ms", 1000), 5'000'000U);
  EXPECT_EQ(steps_of("spin-3ns", 500), 2U);  // 1.5 rounded
  EXPECT_EQ(steps_of("spin-1ns", 1), 1U);    // never zero
}

TEST(spin_calibration, is_a_chain_of_real_steps) {
  const double steps_per_us = calibrate_spin_steps_per_us();
  EXPECT_GT(steps_per_us, 1.0);
  // A multiplication takes at least three cycles, an addition one; so at 10 GHz at most 2500 steps.
  EXPECT_LT(steps_per_us, 2500.0);
}

TEST(spin_calibration, makes_a_spin_last_as_long_as_it_says) {
  const auto kernel = make_kernel("spin-1ms", {.spin_steps_per_us = calibrate_spin_steps_per_us()});
  double fastest_ms = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    kernel->run();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    fastest_ms = std::min(fastest_ms, elapsed.count());
  }
  // A wide range, for a host that is noisy or changes its clock; a wrong unit is off by 1000.
  EXPECT_GT(fastest_ms, 0.3);
  EXPECT_LT(fastest_ms, 3.0);
}

}  // namespace
}  // namespace fg::bench
