// The border between the stages of two threads.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pipeline/stage_division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "finegrain/pipeline/stage.hpp"

namespace {

using fg::detail::stage_division;

constexpr fg::stage_mode kSerial = fg::stage_mode::serial_in_order;
constexpr fg::stage_mode kParallel = fg::stage_mode::parallel;

// How long the longer thread works for that many tokens.
std::uint64_t longer_thread(const stage_division& division, const std::vector<std::uint64_t>& times,
                            std::uint64_t tokens) {
  stage_division::borders borders{division};
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  for (std::uint64_t token = 0; token != tokens; ++token) {
    const auto border = times.begin() + static_cast<std::ptrdiff_t>(borders.next());
    first += std::accumulate(times.begin(), border, std::uint64_t{0});
    second += std::accumulate(border, times.end(), std::uint64_t{0});
  }
  return std::max(first, second);
}

TEST(stage_division, lies_between_serial_stages_where_the_longer_half_is_shortest) {
  const stage_division division{std::vector<std::uint64_t>{10, 20, 25, 30},
                                std::vector{kSerial, kSerial, kSerial, kSerial}};
  EXPECT_EQ(division.stage(), 2U);
  EXPECT_EQ(division.share(), 0);
  EXPECT_EQ(division.longest(), 55U);
}

TEST(stage_division, lies_within_a_parallel_stage_if_both_threads_are_then_equally_busy) {
  const stage_division division{std::vector<std::uint64_t>{100, 800, 300},
                                std::vector{kSerial, kParallel, kSerial}};
  EXPECT_EQ(division.stage(), 1U);
  EXPECT_EQ(division.share(), 500. / 800);
  EXPECT_EQ(division.longest(), 600U);
}

TEST(stage_division, a_longest_serial_stage_is_alone) {
  const stage_division division{std::vector<std::uint64_t>{50, 100, 800},
                                std::vector{kSerial, kParallel, kSerial}};
  EXPECT_EQ(division.stage(), 2U);
  EXPECT_EQ(division.share(), 0);
  EXPECT_EQ(division.longest(), 800U);
}

TEST(stage_division, spreads_the_calls_of_both_threads) {
  const stage_division division{std::vector<std::uint64_t>{0, 400, 200},
                                std::vector{kSerial, kParallel, kSerial}};
  ASSERT_EQ(division.share(), 0.75);
  stage_division::borders borders{division};
  for (int round = 0; round != 3; ++round) {
    EXPECT_EQ(borders.next(), 1U);
    EXPECT_EQ(borders.next(), 2U);
    EXPECT_EQ(borders.next(), 2U);
    EXPECT_EQ(borders.next(), 2U);
  }
}

TEST(stage_division, stages_that_take_no_time_go_to_the_second_thread) {
  for (const fg::stage_mode mode : {kSerial, kParallel}) {
    const stage_division division{std::vector<std::uint64_t>{0, 0, 0}, std::vector(3, mode)};
    EXPECT_EQ(stage_division::borders{division}.next(), 1U);
    EXPECT_EQ(division.longest(), 0U);
  }
}

TEST(stage_division, no_other_border_is_better) {
  constexpr std::uint64_t kTokens = 1000;
  std::mt19937 random{1};
  for (int line = 0; line != 2000; ++line) {
    const std::size_t stages = 2 + random() % 5;
    std::vector<std::uint64_t> times(stages);
    std::vector<fg::stage_mode> modes(stages, kSerial);
    for (std::size_t stage = 0; stage != stages; ++stage) {
      times[stage] = random() % 3 == 0 ? 0 : random() % 1000;
      modes[stage] = stage != 0 && random() % 2 == 0 ? kParallel : kSerial;
    }
    const stage_division division{times, modes};
    const std::uint64_t total = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
    std::uint64_t best = total;
    std::uint64_t before = times[0];
    for (std::size_t stage = 1; stage != stages; before += times[stage++]) {
      best = std::min(best, std::max(before, total - before));
      if (modes[stage] == kParallel && before <= total / 2 && total / 2 <= before + times[stage]) {
        best = total - total / 2;
      }
    }
    ASSERT_EQ(division.longest(), best) << "line " << line;
    // But for one call more or less of a stage that both have.
    ASSERT_NEAR(static_cast<double>(longer_thread(division, times, kTokens)),
                static_cast<double>(best * kTokens), static_cast<double>(times[division.stage()]))
        << "line " << line;
  }
}

}  // namespace
