// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/assigned_tasks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace {

TEST(assigned_tasks, come_out_in_the_order_of_their_putting) {
  std::array<fg::detail::assigned_task, 5> tasks{};
  fg::detail::assigned_tasks assigned;
  EXPECT_FALSE(assigned.has_task());
  EXPECT_EQ(assigned.take(), nullptr);
  for (std::size_t i = 0; i < 3; ++i) {
    assigned.put(tasks[i]);
  }
  EXPECT_TRUE(assigned.has_task());
  EXPECT_EQ(assigned.take(), tasks.data());
  assigned.put(tasks[3]);
  assigned.put(tasks[4]);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_TRUE(assigned.has_task());
    EXPECT_EQ(assigned.take(), &tasks[i]);
  }
  EXPECT_FALSE(assigned.has_task());
  EXPECT_EQ(assigned.take(), nullptr);
}

// A worker that waits in one region leaves those of others where they are.
TEST(assigned_tasks, come_out_by_region) {
  std::array<fg::detail::assigned_task, 4> tasks{};
  fg::detail::assigned_tasks assigned;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].region = i % 2;
    assigned.put(tasks[i]);
  }
  EXPECT_FALSE(assigned.has_task(2));
  EXPECT_EQ(assigned.take(2), nullptr);
  EXPECT_EQ(assigned.take(1), &tasks[1]);
  EXPECT_EQ(assigned.take(1), &tasks[3]);
  EXPECT_FALSE(assigned.has_task(1));
  EXPECT_EQ(assigned.take(), tasks.data());
  EXPECT_EQ(assigned.take(), &tasks[2]);
  EXPECT_EQ(assigned.take(), nullptr);
}

}  // namespace
