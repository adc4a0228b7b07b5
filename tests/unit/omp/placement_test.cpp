// Which place each thread of a region gets (omp/runtime/placement.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using fg::omp::runtime::binding;
using fg::omp::runtime::place_thread;
using fg::omp::runtime::placement;

std::vector<placement> place_all(binding how, std::uint32_t size, const placement& parent) {
  std::vector<placement> all;
  for (std::uint32_t number = 0; number < size; ++number) {
    all.push_back(place_thread(how, number, size, parent));
  }
  return all;
}

// Calls `check` for partitions of up to 9 places at different beginnings, each place of the parent
// in them, and up to 20 threads.
template <class Check>
void for_all(Check check) {
  for (const int first : {0, 3}) {
    for (int count = 1; count <= 9; ++count) {
      for (int place = first; place < first + count; ++place) {
        for (std::uint32_t size = 1; size <= 20; ++size) {
          check(size, placement{.place = place, .first = first, .count = count});
        }
      }
    }
  }
}

int next_place(int place, const placement& in) {
  return place + 1 < in.first + in.count ? place + 1 : in.first;
}

// Neighbouring threads are at one place or at neighbouring ones, and each place has as many as each
// other, or one more.
void expect_neighbours_share(const std::vector<placement>& all, const placement& parent) {
  std::vector<int> threads(static_cast<std::size_t>(parent.count));
  for (std::size_t i = 0; i < all.size(); ++i) {
    ++threads[static_cast<std::size_t>(all[i].place - parent.first)];
    if (i > 0 && all[i].place != all[i - 1].place) {
      EXPECT_EQ(all[i].place, next_place(all[i - 1].place, parent));
    }
  }
  const auto [least, most] = std::ranges::minmax(threads);
  EXPECT_LE(most - least, 1);
}

TEST(Placement, ThePrimaryThreadStays) {
  for (const binding how : {binding::primary, binding::close, binding::spread, binding::in_turn}) {
    for_all([how](std::uint32_t size, const placement& parent) {
      EXPECT_EQ(place_thread(how, 0, size, parent).place, parent.place);
    });
  }
}

TEST(Placement, PlacesAreInThePartition) {
  for (const binding how : {binding::primary, binding::close, binding::spread, binding::in_turn}) {
    for_all([how](std::uint32_t size, const placement& parent) {
      for (const placement& each : place_all(how, size, parent)) {
        EXPECT_GE(each.first, parent.first);
        EXPECT_LE(each.first + each.count, parent.first + parent.count);
        EXPECT_GE(each.place, each.first);
        EXPECT_LT(each.place, each.first + each.count);
      }
    });
  }
}

TEST(Placement, PrimaryKeepsAllThreadsTogether) {
  for_all([](std::uint32_t size, const placement& parent) {
    for (const placement& each : place_all(binding::primary, size, parent)) {
      EXPECT_EQ(each, parent);
    }
  });
}

TEST(Placement, CloseTakesThePlacesThatFollow) {
  for_all([](std::uint32_t size, const placement& parent) {
    const std::vector<placement> all = place_all(binding::close, size, parent);
    expect_neighbours_share(all, parent);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_EQ(all[i].first, parent.first);
      EXPECT_EQ(all[i].count, parent.count);
      if (size <= static_cast<std::uint32_t>(parent.count)) {
        EXPECT_EQ(all[i].place, next_place(all[i - 1].place, parent));
      }
    }
  });
}

TEST(Placement, SpreadDividesThePartition) {
  for_all([](std::uint32_t size, const placement& parent) {
    if (size > static_cast<std::uint32_t>(parent.count)) {
      return;
    }
    const std::vector<placement> all = place_all(binding::spread, size, parent);
    const int least = parent.count / static_cast<int>(size);
    int places = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].count == least || all[i].count == least + 1);
      places += all[i].count;
      if (i > 0) {
        EXPECT_EQ(all[i].place, all[i].first);
        EXPECT_EQ(all[i].first, next_place(all[i - 1].first + all[i - 1].count - 1, parent));
      }
    }
    EXPECT_EQ(places, parent.count);
  });
}

TEST(Placement, SpreadGivesOnePlaceToEachOfManyThreads) {
  for_all([](std::uint32_t size, const placement& parent) {
    if (size <= static_cast<std::uint32_t>(parent.count)) {
      return;
    }
    const std::vector<placement> all = place_all(binding::spread, size, parent);
    expect_neighbours_share(all, parent);
    for (const placement& each : all) {
      EXPECT_EQ(each.count, 1);
      EXPECT_EQ(each.first, each.place);
    }
  });
}

TEST(Placement, InTurnBeginsAgainAfterTheLastPlace) {
  const placement parent{.place = 1, .first = 0, .count = 3};
  std::vector<int> found;
  for (const placement& each : place_all(binding::in_turn, 5, parent)) {
    found.push_back(each.place);
    EXPECT_EQ(each.count, 3);
  }
  EXPECT_EQ(found, (std::vector{1, 2, 0, 1, 2}));
}

TEST(Placement, NobodyIsBoundWithoutAPlaceOrAPolicy) {
  const placement bound{.place = 1, .first = 0, .count = 3};
  const placement free{.place = -1, .first = 0, .count = 3};
  EXPECT_EQ(place_thread(binding::none, 1, 2, bound), free);
  EXPECT_EQ(place_thread(binding::spread, 1, 2, free), free);
}

TEST(Placement, ManyThreadsAndPlacesDoNotOverflow) {
  const placement parent{.place = 65535, .first = 0, .count = 65536};
  const placement last = place_thread(binding::close, 0xfffffffeU, 0xffffffffU, parent);
  EXPECT_EQ(last.place, 65534);
}

}  // namespace
