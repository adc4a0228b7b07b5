// The baseline policy, with threads that run trees of tasks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "finegrain/balance/chase_lev_balance.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/balancer_run.hpp"

namespace {

class chase_lev_balance : public testing::Test {
 protected:
  void push(std::size_t worker, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ASSERT_TRUE(policy_.push(worker, task(i)));
    }
  }

  fg::pool_task& task(std::size_t number) { return tasks_.at(number); }

  // The thief may have to try several victims.
  fg::pool_task* steal(std::size_t worker) {
    fg::pool_task* stolen = nullptr;
    for (int attempt = 0; attempt < 1'000 && stolen == nullptr; ++attempt) {
      stolen = policy_.steal(worker);
    }
    return stolen;
  }

  std::array<fg::pool_task, 2'000> tasks_{};
  fg::detail::idle_workers idle_{3};
  fg::detail::chase_lev_balance policy_{3, idle_};
};

TEST_F(chase_lev_balance, pops_its_newest_and_steals_others_oldest) {
  push(0, 0, 4);
  EXPECT_EQ(policy_.pop(1), nullptr);
  EXPECT_EQ(policy_.pop(0), &task(3));
  EXPECT_EQ(steal(1), &task(0));
  EXPECT_EQ(steal(2), &task(1));
  EXPECT_EQ(policy_.pop(0), &task(2));
  EXPECT_EQ(policy_.pop(0), nullptr);
}

TEST_F(chase_lev_balance, accepts_more_than_its_first_ring_holds) {
  push(0, 0, tasks_.size());
  for (std::size_t i = tasks_.size(); i > 0; --i) {
    ASSERT_EQ(policy_.pop(0), &task(i - 1));
  }
}

TEST_F(chase_lev_balance, steals_from_everybody_but_itself) {
  push(0, 0, 1);
  push(1, 1, 2);
  push(2, 2, 3);
  EXPECT_NE(steal(1), nullptr);
  EXPECT_NE(steal(1), nullptr);
  EXPECT_EQ(steal(1), nullptr);
  EXPECT_EQ(policy_.pop(1), &task(1));
}

TEST_F(chase_lev_balance, stays_with_a_victim_that_has_more) {
  push(0, 0, 100);
  push(2, 100, 200);
  const std::size_t first = steal(1) == &task(0) ? 0 : 100;
  for (std::size_t i = 1; i < 100; ++i) {
    ASSERT_EQ(policy_.steal(1), &task(first + i));
  }
}

TEST_F(chase_lev_balance, alone_has_nobody_to_steal_from) {
  fg::detail::chase_lev_balance alone{1, idle_};
  EXPECT_TRUE(alone.push(0, task(0)));
  EXPECT_EQ(alone.steal(0), nullptr);
  EXPECT_EQ(alone.pop(0), &task(0));
}

TEST_F(chase_lev_balance, guesses_work_in_any_deque) {
  EXPECT_FALSE(policy_.has_work_guess(1));
  push(2, 0, 1);
  for (std::size_t worker = 0; worker < 3; ++worker) {
    EXPECT_TRUE(policy_.has_work_guess(worker));
  }
  policy_.pop(2);
  EXPECT_FALSE(policy_.has_work_guess(1));
}

TEST_F(chase_lev_balance, wakes_a_sleeper_for_a_task) {
  EXPECT_TRUE(fg::test::push_wakes_sleeper(policy_, idle_));
}

class chase_lev_with : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, chase_lev_with, testing::Values(1, 2, 3, 8));

TEST_P(chase_lev_with, threads_runs_each_task_once) {
  const std::size_t workers = GetParam();
  fg::detail::idle_workers idle{workers};
  fg::detail::chase_lev_balance policy{workers, idle};
  fg::test::balancer_run run{policy, idle, workers};
  for (int round = 0; round < 10; ++round) {
    run.run(1, 2'000);
    run.run(workers, 500);
  }
}

}  // namespace
