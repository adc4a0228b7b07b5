// Objects attached to tasks: made, destroyed on any thread, and made again in the same place.
// SPDX-License-Identifier: Apache-2.0
#include "omp/side_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace {

struct counted {
  counted(int& all, int number) : alive{all}, value{number} { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }

  int& alive;
  int value;
};

using fg::omp::side_memory;

// It keeps its blocks forever and is never freed: so a leak checker finds them.
side_memory& new_memory() {
  static auto& all = *new std::vector<std::unique_ptr<side_memory>>;
  return *all.emplace_back(std::make_unique<side_memory>());
}

TEST(side_memory, constructs_and_destroys) {
  side_memory& memory = new_memory();
  int alive = 0;
  auto* const made = memory.make<counted>(alive, 7);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(made->value, 7);
  memory.destroy(*made);
  EXPECT_EQ(alive, 0);
}

TEST(side_memory, makes_the_next_one_in_the_same_place) {
  side_memory& memory = new_memory();
  int alive = 0;
  auto* const first = memory.make<counted>(alive, 1);
  memory.destroy(*first);
  auto* const second = memory.make<counted>(alive, 1);
  EXPECT_EQ(second, first);
  memory.destroy(*second);
}

// Another thread's, with one of a third among them: a flush returns each to its maker.
TEST(side_memory, gets_back_what_others_destroy) {
  constexpr std::size_t kMany = 1000;
  side_memory& memory = new_memory();
  side_memory& third = new_memory();
  side_memory& others = new_memory();
  int alive = 0;
  std::set<counted*> places;
  for (int round = 0; round < 20; ++round) {
    std::array<counted*, kMany> made{};
    for (counted*& each : made) {
      each = memory.make<counted>(alive, 1);
      places.insert(each);
    }
    auto* const foreign = third.make<counted>(alive, 1);
    std::thread other{[&] {
      for (counted* const each : made) {
        others.destroy(*each);
      }
      others.destroy(*foreign);
      others.flush();
    }};
    other.join();
    EXPECT_EQ(alive, 0);
  }
  // In batches, of which the last ones come when the next are requested.
  EXPECT_LT(places.size(), 2 * kMany);
}

}  // namespace
