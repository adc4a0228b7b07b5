// Bags on stacks, and parts as bytes.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/mpi/bag.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct numbers : fg::mpi::stack_bag<int, long> {
  explicit numbers(int count) {
    items.resize(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
  }
  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      sum += items.back();
      items.pop_back();
    }
    return done;
  }
  [[nodiscard]] const std::vector<int>& left() const { return items; }
};
static_assert(fg::mpi::bag<numbers>);

TEST(stack_bag, gives_as_many_as_asked_for_from_all_ages) {
  numbers bag{8};
  EXPECT_EQ(bag.split(4), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(bag.left(), (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(bag.split(1), (std::vector<int>{1}));
  EXPECT_TRUE(bag.split(0).empty());
  EXPECT_EQ(bag.split(3), (std::vector<int>{3, 5, 7}));
  EXPECT_EQ(bag.size(), 0U);
}

TEST(stack_bag, loses_nothing_for_any_size) {
  for (int size = 0; size != 40; ++size) {
    for (int n = 0; n <= size; ++n) {
      numbers bag{size};
      std::vector<int> part = bag.split(static_cast<std::size_t>(n));
      ASSERT_EQ(part.size(), static_cast<std::size_t>(n));
      ASSERT_EQ(part.size() + bag.size(), static_cast<std::size_t>(size));
      bag.merge(std::move(part));
      bag.process(1000);
      ASSERT_EQ(bag.result(), size * (size - 1) / 2);
    }
  }
}

TEST(serial, contiguous_items_are_their_bytes) {
  using fg::mpi::serial;
  const std::vector<int> some{1, -2, 3};
  EXPECT_EQ(serial<std::vector<int>>::write(some).size(), 3 * sizeof(int));
  EXPECT_EQ(serial<std::vector<int>>::read(serial<std::vector<int>>::write(some)), some);
  EXPECT_TRUE(serial<std::vector<int>>::read({}).empty());
  EXPECT_EQ(serial<std::string>::read(serial<std::string>::write("text")), "text");
  static_assert(!fg::mpi::serializable<std::vector<std::string>>);
}

}  // namespace
