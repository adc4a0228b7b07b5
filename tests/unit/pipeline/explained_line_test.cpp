// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pipeline/explained_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/stage_division.hpp"

namespace {

using fg::stage_mode;
using fg::detail::explained_line;
using fg::detail::stage_division;

constexpr std::array kModes{stage_mode::serial_in_order, stage_mode::parallel,
                            stage_mode::serial_out_of_order};
constexpr std::array<std::uint64_t, 3> kNoTimes{};

TEST(explained_line, names_each_stage_once_if_each_is_on_one_thread) {
  EXPECT_EQ((explained_line{kModes, {}}.halves({kNoTimes, kModes})),
            "on the main thread:\n"
            "  stage 1, serial in order\n"
            "on the assistant:\n"
            "  stage 2, parallel\n"
            "  stage 3, serial out of order\n");
}

TEST(explained_line, says_how_a_parallel_stage_is_divided) {
  constexpr std::array<std::uint64_t, 3> kTimes{100, 800, 300};
  EXPECT_EQ((explained_line{kModes, {}}.halves({kTimes, kModes})),
            "on the main thread:\n"
            "  stage 1, serial in order\n"
            "on the main thread for 63 % of the values, else on the assistant:\n"
            "  stage 2, parallel\n"
            "on the assistant:\n"
            "  stage 3, serial out of order\n");
}

TEST(explained_line, gives_times_if_they_are_known) {
  EXPECT_EQ((explained_line{kModes, kNoTimes}.stages()),
            "  stage 1, serial in order, 0 ns\n"
            "  stage 2, parallel, 0 ns\n"
            "  stage 3, serial out of order, 0 ns\n");
}

}  // namespace
