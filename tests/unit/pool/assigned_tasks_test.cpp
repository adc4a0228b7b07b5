#include "finegrain/pool/assigned_tasks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "finegrain/task/pool_task.hpp"

namespace {

TEST(assigned_tasks, come_out_in_the_order_of_their_putting) {
  std::array<fg::pool_task, 5> tasks{};
  fg::assigned_tasks assigned;
  EXPECT_FALSE(assigned.has_task_guess());
  EXPECT_EQ(assigned.take(), nullptr);
  for (std::size_t i = 0; i < 3; ++i) {
    assigned.put(tasks[i]);
  }
  EXPECT_TRUE(assigned.has_task_guess());
  EXPECT_EQ(assigned.take(), tasks.data());
  assigned.put(tasks[3]);
  assigned.put(tasks[4]);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_TRUE(assigned.has_task_guess());
    EXPECT_EQ(assigned.take(), &tasks[i]);
  }
  EXPECT_FALSE(assigned.has_task_guess());
  EXPECT_EQ(assigned.take(), nullptr);
}

}  // namespace
