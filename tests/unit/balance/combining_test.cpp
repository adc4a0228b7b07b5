// OMPi's policy: its queue, throttling, and threads that run trees of tasks with it.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/balance/combining.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

#include "finegrain/balance/combining_queue.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/balancer_run.hpp"
#include "support/numbered_tasks.hpp"

namespace {

class combining : public fg::test::numbered_tasks {
 protected:
  // Pushes tasks of worker 0 until one is refused, at most `count`.
  std::size_t push(fg::detail::combining_balance& policy, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!policy.push(0, task(i))) {
        return i;
      }
    }
    return count;
  }

  static void take_all_of_0(fg::detail::combining_balance& policy) {
    while (policy.steal(1) != nullptr) {
    }
  }

  fg::detail::idle_workers idle_{3};
};

TEST_F(combining, queue_gives_back_in_order_round_after_round) {
  fg::detail::combining_queue queue{1, 3};
  for (std::size_t round = 0; round < 5; ++round) {
    EXPECT_TRUE(queue.try_put(task(0)));
    EXPECT_TRUE(queue.try_put(task(1)));
    EXPECT_EQ(queue.free_slots(), 1U);
    EXPECT_TRUE(queue.has_task_guess());
    EXPECT_EQ(queue.take(0), &task(0));
    EXPECT_EQ(queue.take(0), &task(1));
    EXPECT_FALSE(queue.has_task_guess());
    EXPECT_EQ(queue.take(0), nullptr);
  }
}

TEST_F(combining, queue_holds_all_of_its_capacity_and_no_more) {
  fg::detail::combining_queue queue{1, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(queue.try_put(task(i)));
  }
  EXPECT_FALSE(queue.try_put(task(3)));
  EXPECT_EQ(queue.take(0), &task(0));
  EXPECT_TRUE(queue.try_put(task(4)));
  EXPECT_EQ(queue.take(0), &task(1));
}

TEST_F(combining, queue_without_room_is_full_and_empty) {
  fg::detail::combining_queue queue{1, 0};
  EXPECT_FALSE(queue.try_put(task(0)));
  EXPECT_EQ(queue.take(0), nullptr);
}

TEST_F(combining, holds_24_tasks_unless_told) {
  fg::detail::combining_balance paper{1, idle_};
  EXPECT_EQ(push(paper, 30), 24U);
  fg::detail::combining_balance small{1, idle_, 5};
  EXPECT_EQ(push(small, 30), 5U);
  fg::detail::combining_balance none{1, idle_, 0};
  EXPECT_EQ(push(none, 30), 0U);
}

TEST_F(combining, takes_its_own_and_others_oldest_first) {
  fg::detail::combining_balance policy{3, idle_};
  push(policy, 4);
  EXPECT_EQ(policy.pop(0), &task(0));
  EXPECT_EQ(policy.steal(2), &task(1));
  EXPECT_EQ(policy.steal(1), &task(2));
  EXPECT_EQ(policy.pop(0), &task(3));
  EXPECT_EQ(policy.pop(0), nullptr);
  EXPECT_EQ(policy.steal(1), nullptr);
}

TEST_F(combining, leaves_others_tasks_to_steal_and_its_own_to_pop) {
  fg::detail::combining_balance policy{2, idle_};
  push(policy, 1);
  EXPECT_EQ(policy.pop(1), nullptr);
  EXPECT_EQ(policy.steal(0), nullptr);
  EXPECT_EQ(policy.steal(1), &task(0));
}

TEST_F(combining, goes_through_the_others_beginning_behind_itself) {
  fg::detail::combining_balance policy{3, idle_};
  policy.push(0, task(0));
  policy.push(2, task(2));
  EXPECT_EQ(policy.steal(1), &task(2));
  EXPECT_EQ(policy.steal(1), &task(0));
}

TEST_F(combining, throttles_when_full_until_30_percent_are_free) {
  fg::detail::combining_balance policy{2, idle_, 10};
  EXPECT_EQ(push(policy, 11), 10U);
  policy.steal(1);
  EXPECT_FALSE(policy.push(0, task(20)));
  policy.steal(1);
  EXPECT_FALSE(policy.push(0, task(20)));
  policy.steal(1);
  EXPECT_TRUE(policy.push(0, task(20)));
  EXPECT_TRUE(policy.push(0, task(21)));  // and stays refused until full again
  EXPECT_TRUE(policy.push(0, task(22)));
  EXPECT_FALSE(policy.push(0, task(23)));
  policy.steal(1);
  EXPECT_FALSE(policy.push(0, task(23)));
}

TEST_F(combining, throttles_the_papers_24_until_8_are_free) {
  fg::detail::combining_balance policy{1, idle_};
  push(policy, 25);
  for (int taken = 1; taken < 8; ++taken) {
    policy.pop(0);
    EXPECT_FALSE(policy.push(0, task(30))) << taken;
  }
  policy.pop(0);
  EXPECT_TRUE(policy.push(0, task(30)));
}

TEST_F(combining, throttles_for_as_many_tasks_as_free_it_even_if_taken_at_once) {
  fg::detail::combining_balance policy{2, idle_, 10};
  EXPECT_EQ(push(policy, 11), 10U);  // the eleventh is the first of three
  take_all_of_0(policy);
  EXPECT_FALSE(policy.push(0, task(20)));
  EXPECT_FALSE(policy.push(0, task(20)));
  EXPECT_TRUE(policy.push(0, task(20)));
}

TEST_F(combining, throttles_the_shorter_the_more_there_are_to_take) {
  fg::detail::combining_balance policy{4, idle_, 20};  // six have to be free, three take
  EXPECT_EQ(push(policy, 21), 20U);                    // the first of two
  take_all_of_0(policy);
  EXPECT_FALSE(policy.push(0, task(20)));
  EXPECT_TRUE(policy.push(0, task(20)));
}

TEST_F(combining, throttles_for_eight_tasks_at_most_before_it_looks) {
  fg::detail::combining_balance policy{2, idle_, 100};
  EXPECT_EQ(push(policy, 101), 100U);  // the first of them
  take_all_of_0(policy);
  for (int i = 2; i <= 8; ++i) {
    EXPECT_FALSE(policy.push(0, task(20))) << i;
  }
  EXPECT_TRUE(policy.push(0, task(20)));
}

TEST_F(combining, looks_at_once_after_it_has_looked_for_a_task_of_its_own) {
  fg::detail::combining_balance policy{2, idle_, 10};
  EXPECT_EQ(push(policy, 11), 10U);
  take_all_of_0(policy);
  EXPECT_EQ(policy.pop(0), nullptr);
  EXPECT_TRUE(policy.push(0, task(20)));
}

TEST_F(combining, looks_at_once_while_somebody_sleeps) {
  fg::detail::combining_balance policy{2, idle_, 10};
  EXPECT_EQ(push(policy, 11), 10U);
  take_all_of_0(policy);
  // Its last check may come after the push, which then need not wake it.
  std::thread sleeper{[&] { idle_.sleep(1, false, [&] { return policy.has_work_guess(1); }); }};
  while (!idle_.any_guess()) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(policy.push(0, task(20)));
  sleeper.join();
}

TEST_F(combining, throttles_each_worker_for_itself) {
  fg::detail::combining_balance policy{2, idle_, 2};
  EXPECT_EQ(push(policy, 3), 2U);
  EXPECT_TRUE(policy.push(1, task(9)));
}

TEST_F(combining, guesses_work_in_any_queue) {
  fg::detail::combining_balance policy{2, idle_};
  EXPECT_FALSE(policy.has_work_guess(0));
  push(policy, 1);
  EXPECT_TRUE(policy.has_work_guess(0));
  EXPECT_TRUE(policy.has_work_guess(1));
  policy.pop(0);
  EXPECT_FALSE(policy.has_work_guess(1));
}

TEST_F(combining, wakes_a_sleeper_for_a_task) {
  fg::detail::combining_balance policy{2, idle_};
  EXPECT_TRUE(fg::test::push_wakes_sleeper(policy, idle_));
}

class combining_with : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, combining_with, testing::Values(1, 2, 3, 8));

TEST_P(combining_with, threads_runs_each_task_once) {
  const std::size_t workers = GetParam();
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{24}}) {
    fg::detail::idle_workers idle{workers};
    fg::detail::combining_balance policy{workers, idle, capacity};
    fg::test::balancer_run run{policy, idle, workers};
    for (int round = 0; round < 5; ++round) {
      run.run(1, 2'000);
      run.run(workers, 500);
    }
  }
}

}  // namespace
