// The protocol step by step, one thread in both roles. Two threads at once: the stress tests.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/relic/shared_range.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace {

using chunks = std::vector<std::uint32_t>;
constexpr fg::detail::range_side kMain = fg::detail::range_side::main;
constexpr fg::detail::range_side kAssistant = fg::detail::range_side::assistant;

// Takes for one side until nothing is left.
chunks all_for(fg::detail::range_side side, fg::detail::shared_range& range) {
  chunks taken;
  while (const auto chunk = range.take(side)) {
    taken.push_back(*chunk);
  }
  return taken;
}

TEST(shared_range, holds_nothing_before_it_is_opened) {
  fg::detail::shared_range range;
  EXPECT_EQ(range.take(kMain), std::nullopt);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
}

TEST(shared_range, gives_each_side_its_own_part_from_the_front) {
  fg::detail::shared_range range;
  range.open({0, 3}, {10, 13}, {});
  for (std::uint32_t i = 0; i != 3; ++i) {
    EXPECT_EQ(range.take(kMain), i);
    EXPECT_EQ(range.take(kAssistant), 10 + i);
  }
  EXPECT_EQ(range.take(kMain), std::nullopt);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
}

TEST(shared_range, gives_a_dry_side_the_back_half_of_the_others_rest) {
  fg::detail::shared_range range;
  range.open({0, 0}, {10, 20}, {});
  EXPECT_EQ(range.take(kMain), 15U);  // stole [15, 20)
  EXPECT_EQ(range.take(kAssistant), 10U);
  EXPECT_EQ(all_for(kAssistant, range), (chunks{11, 12, 13, 14, 18, 19, 17, 16}))
      << "its own, and by halves what main has left";
  EXPECT_EQ(range.take(kMain), std::nullopt);
}

TEST(shared_range, lets_the_assistant_steal_as_well) {
  fg::detail::shared_range range;
  range.open({0, 4}, {4, 4}, {});
  EXPECT_EQ(range.take(kAssistant), 2U);
  EXPECT_EQ(all_for(kMain, range), (chunks{0, 1, 3}));
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
}

TEST(shared_range, gives_a_single_chunk_away) {
  fg::detail::shared_range range;
  range.open({7, 8}, {9, 9}, {});
  EXPECT_EQ(range.take(kAssistant), 7U);
  EXPECT_EQ(range.take(kMain), std::nullopt);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
}

TEST(shared_range, leaves_all_to_main_when_the_assistant_came_too_early) {
  fg::detail::shared_range range;
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
  range.open({1, 4}, {5, 7}, {});
  EXPECT_EQ(all_for(kMain, range), (chunks{1, 2, 3, 6, 5}));
}

TEST(shared_range, gives_nothing_once_closed_and_can_be_opened_again) {
  fg::detail::shared_range range;
  range.open({0, 4}, {4, 8}, {});
  EXPECT_EQ(range.take(kMain), 0U);
  range.close();
  EXPECT_EQ(range.take(kMain), std::nullopt);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
  range.reset();
  EXPECT_EQ(range.take(kMain), std::nullopt);
  range.open({0, 1}, {1, 2}, {});
  EXPECT_EQ(range.take(kAssistant), 1U);
  EXPECT_EQ(range.take(kMain), 0U);
}

TEST(shared_range, forgets_what_is_left_over_when_reset) {
  fg::detail::shared_range range;
  range.open({0, 4}, {4, 8}, {});
  range.reset();
  EXPECT_EQ(range.take(kMain), std::nullopt);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
}

TEST(shared_range, counts_up_to_its_limit) {
  constexpr std::uint32_t kEnd = fg::detail::shared_range::kMostChunks;
  fg::detail::shared_range range;
  range.open({kEnd - 4, kEnd - 2}, {kEnd - 2, kEnd}, {});
  EXPECT_EQ(range.take(kAssistant), kEnd - 2);
  EXPECT_EQ(range.take(kAssistant), kEnd - 1);
  EXPECT_EQ(range.take(kAssistant), kEnd - 3);
  EXPECT_EQ(range.take(kMain), kEnd - 4);
  EXPECT_EQ(range.take(kAssistant), std::nullopt);
  EXPECT_EQ(range.take(kMain), std::nullopt);
  range.open({0, kEnd}, {kEnd, kEnd}, {});
  EXPECT_EQ(range.take(kAssistant), kEnd / 2);
  EXPECT_EQ(range.take(kMain), 0U);
  EXPECT_EQ(range.take(kAssistant), kEnd / 2 + 1);
}

TEST(shared_range, tells_the_assistant_how_long_chunks_are) {
  fg::detail::shared_range range;
  range.open({0, 1}, {1, 2}, {.length = 5, .iterations = 9});
  ASSERT_TRUE(range.take(kAssistant));
  EXPECT_EQ(range.lengths().length, 5U);
  EXPECT_EQ(range.lengths().iterations, 9U);
}

}  // namespace
