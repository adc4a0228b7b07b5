// Which threads of a wide region are above and below which (omp/runtime/fork_tree.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/fork_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using fg::omp::runtime::fork_tree;

template <std::uint32_t FanOut>
std::vector<std::uint32_t> below(std::uint32_t number, std::uint32_t size) {
  std::vector<std::uint32_t> all;
  fork_tree<FanOut>::nearest_first(number, size, [&](std::uint32_t each) { all.push_back(each); });
  return all;
}

// The number above each one.
template <std::uint32_t FanOut>
std::vector<std::uint32_t> above(std::uint32_t size) {
  std::vector<std::uint32_t> all(size, size);
  for (std::uint32_t number = 0; number < size; ++number) {
    for (const std::uint32_t each : below<FanOut>(number, size)) {
      EXPECT_LT(number, each);
      EXPECT_EQ(all.at(each), size) << each << " is below two";
      all.at(each) = number;
    }
  }
  return all;
}

template <std::uint32_t FanOut>
std::uint32_t logarithm(std::uint32_t size) {
  std::uint32_t digits = 0;
  for (std::uint64_t power = 1; power < size; power *= FanOut) {
    ++digits;
  }
  return digits;
}

template <std::uint32_t FanOut>
void check_sizes() {
  using threads = std::vector<std::uint32_t>;
  for (std::uint32_t size = 1; size <= 300; ++size) {
    const threads upwards = above<FanOut>(size);
    for (std::uint32_t number = 0; number < size; ++number) {
      const threads own = below<FanOut>(number, size);
      threads farthest;
      fork_tree<FanOut>::farthest_first(number, size,
                                        [&](std::uint32_t each) { farthest.push_back(each); });
      std::ranges::reverse(farthest);
      EXPECT_EQ(own, farthest) << number << " of " << size;
      EXPECT_TRUE(own.empty() || fork_tree<FanOut>::may_have_others_below(number));
      EXPECT_LE(own.size(), (FanOut - 1) * logarithm<FanOut>(size));
      std::uint32_t lines = 0;
      for (std::uint32_t each = number; each != 0; each = upwards.at(each)) {
        ASSERT_LT(each, size) << number << " of " << size << " is below none";
        ++lines;
      }
      EXPECT_LE(lines, logarithm<FanOut>(size));
    }
  }
}

TEST(ForkTree, EachNumberIsBelowOneOther) {
  check_sizes<2>();
  check_sizes<3>();
  check_sizes<4>();
}

TEST(ForkTree, WhatIsAboveANumberDoesNotDependOnTheSize) {
  const std::vector<std::uint32_t> all = above<4>(256);
  for (std::uint32_t size = 2; size < 256; ++size) {
    const std::vector<std::uint32_t> few = above<4>(size);
    EXPECT_TRUE(std::equal(few.begin() + 1, few.end(), all.begin() + 1));
  }
}

// Lines between packages of so many threads each, which the binding places in order.
std::uint32_t lines_between_packages(std::uint32_t threads, std::uint32_t each) {
  const std::vector<std::uint32_t> upwards = above<4>(threads);
  std::uint32_t lines = 0;
  for (std::uint32_t number = 1; number < threads; ++number) {
    lines += number / each != upwards.at(number) / each ? 1U : 0U;
  }
  return lines;
}

// The least that is possible is one less than there are packages. In a tree with 4 n + 1 to 4 n + 4
// below n, as heaps have it, it would be 48, 64 and 168.
TEST(ForkTree, FewLinesAreLong) {
  EXPECT_EQ(lines_between_packages(64, 16), 3U);
  EXPECT_EQ(lines_between_packages(128, 64), 1U);
  EXPECT_EQ(lines_between_packages(192, 24), 18U);
}

}  // namespace
