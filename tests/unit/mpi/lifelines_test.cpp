// Whom a rank without work asks.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/mpi/lifelines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using fg::mpi::detail::lifelines;

TEST(lifelines, lead_from_every_rank_to_all_others_and_are_few) {
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 16, 21, 64, 100, 513}) {
    std::set<int> reached{0};
    std::vector<int> next{0};
    while (!next.empty()) {
      const int rank = next.back();
      next.pop_back();
      const lifelines of_rank{rank, count, 1};
      EXPECT_LE(of_rank.all().size(), 10U);
      for (const int other : of_rank.all()) {
        const lifelines back{other, count, 1};
        EXPECT_EQ(std::ranges::count(back.all(), rank), 1);
        if (reached.insert(other).second) {
          next.push_back(other);
        }
      }
    }
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(count));
  }
}

TEST(lifelines, come_after_two_random_requests_and_once) {
  lifelines of_rank{2, 8, 1};
  EXPECT_TRUE(of_rank.due().empty());
  EXPECT_TRUE(of_rank.next_victim());
  EXPECT_TRUE(of_rank.next_victim());
  EXPECT_FALSE(of_rank.next_victim());
  EXPECT_EQ(of_rank.due(), (std::vector<int>{3, 0, 6}));
  EXPECT_TRUE(of_rank.due().empty());

  of_rank.got_gift(0);  // the others still remember
  EXPECT_TRUE(of_rank.next_victim());
  of_rank.got_work();
  EXPECT_TRUE(of_rank.next_victim());
  EXPECT_TRUE(of_rank.next_victim());
  EXPECT_EQ(of_rank.due(), (std::vector<int>{0}));
}

TEST(lifelines, victims_are_all_others) {
  for (std::uint64_t seed = 1; seed != 5; ++seed) {
    lifelines of_rank{1, 4, seed};
    std::set<int> victims;
    for (int i = 0; i != 100; ++i) {
      of_rank.got_work();
      victims.insert(*of_rank.next_victim());
    }
    EXPECT_EQ(victims, (std::set<int>{0, 2, 3}));
  }
}

}  // namespace
