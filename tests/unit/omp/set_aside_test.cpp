// The list step by step, then under contention.
// SPDX-License-Identifier: Apache-2.0
#include "omp/set_aside.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::omp::task;
using fg::omp::verdict;

verdict take_any(const task& /*one*/) { return verdict::taken; }

class set_aside : public testing::Test {
 protected:
  task& put(int priority) {
    task& one = tasks_.emplace_back();
    one.priority = static_cast<std::int8_t>(priority);
    aside_.put(one);
    return one;
  }

  fg::omp::set_aside_tasks aside_;
  std::deque<task> tasks_;
};

TEST_F(set_aside, is_empty_at_first) {
  EXPECT_FALSE(aside_.has_any_guess());
  EXPECT_EQ(aside_.take(take_any), nullptr);
}

TEST_F(set_aside, gives_the_oldest_first) {
  const task& first = put(0);
  const task& second = put(0);
  const task& third = put(0);
  EXPECT_EQ(aside_.take(take_any), &first);
  EXPECT_EQ(aside_.take(take_any), &second);
  EXPECT_EQ(aside_.take(take_any), &third);
  EXPECT_EQ(aside_.take(take_any), nullptr);
}

TEST_F(set_aside, gives_the_highest_priority_first_and_then_the_oldest) {
  const task& low = put(1);
  const task& none = put(0);
  const task& high = put(100);
  const task& later_low = put(1);
  const task& later_high = put(100);
  const task& later_none = put(0);
  for (const task* const expected : {&high, &later_high, &low, &later_low, &none, &later_none}) {
    EXPECT_EQ(aside_.take(take_any), expected);
  }
}

TEST_F(set_aside, passes_over_what_is_refused_and_keeps_it) {
  const task& first = put(2);
  const task& second = put(1);
  const task& third = put(0);
  EXPECT_EQ(aside_.take([&](const task& one) {
    return &one == &second ? verdict::taken : verdict::refused;
  }),
            &second);
  EXPECT_EQ(aside_.take([](const task&) { return verdict::refused; }), nullptr);
  EXPECT_TRUE(aside_.has_any_guess());
  EXPECT_EQ(aside_.take(take_any), &first);
  EXPECT_EQ(aside_.take(take_any), &third);
  EXPECT_FALSE(aside_.has_any_guess());
}

TEST_F(set_aside, asks_about_each_in_order_until_one_is_taken) {
  put(0);
  put(7);
  put(3);
  put(5);
  std::vector<int> asked;
  aside_.take([&](const task& one) {
    asked.push_back(one.priority);
    return one.priority == 3 ? verdict::taken : verdict::refused;
  });
  EXPECT_EQ(asked, (std::vector{7, 5, 3}));
}

TEST_F(set_aside, drops_what_is_forgotten) {
  const task& first = put(0);
  const task& second = put(0);
  const task& third = put(0);
  EXPECT_EQ(aside_.take([&](const task& one) {
    return &one == &third ? verdict::taken : verdict::forgotten;
  }),
            &third);
  EXPECT_FALSE(aside_.has_any_guess()) << &first << &second;
  EXPECT_EQ(aside_.take(take_any), nullptr);
}

TEST_F(set_aside, forgets_between_those_it_keeps) {
  const task& first = put(0);
  const task& second = put(0);
  const task& third = put(0);
  EXPECT_EQ(aside_.take([&](const task& one) {
    return &one == &second ? verdict::forgotten : verdict::refused;
  }),
            nullptr);
  EXPECT_EQ(aside_.take(take_any), &first);
  EXPECT_EQ(aside_.take(take_any), &third);
  EXPECT_FALSE(aside_.has_any_guess());
}

// A thread that reports "forgotten" need not keep the task: its block may be reused.
TEST_F(set_aside, does_not_look_at_what_was_forgotten) {
  put(0);
  const task& second = put(0);
  EXPECT_EQ(aside_.take([&](task& one) {
    if (&one == &second) {
      return verdict::taken;
    }
    one.older = nullptr;
    return verdict::forgotten;
  }),
            &second);
}

TEST_F(set_aside, hammered_each_task_comes_out_once) {
  constexpr std::size_t kTasks = fg::test::kSlow ? 2000 : 100'000;
  constexpr std::size_t kThreads = 3;
  std::vector<task> tasks(kTasks * kThreads);
  std::vector<fg::atomic<int>> taken(tasks.size());
  fg::atomic<std::size_t> missing{tasks.size()};
  const auto take_one = [&](std::uint64_t turn) {
    // Some are refused, as descent would.
    const task* const found = aside_.take([&](const task& one) {
      return (one.depth + turn) % 3 == 0 ? verdict::refused : verdict::taken;
    });
    if (found != nullptr) {
      taken[static_cast<std::size_t>(found - tasks.data())].fetch_add(1);
      missing.fetch_sub(1);
    }
  };
  std::latch all_there{kThreads};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      all_there.arrive_and_wait();
      for (std::size_t i = thread * kTasks; i < (thread + 1) * kTasks; ++i) {
        tasks[i].depth = static_cast<std::uint32_t>(i);  // plain: for ThreadSanitizer
        tasks[i].priority = static_cast<std::int8_t>(i % 3);
        aside_.put(tasks[i]);
        if (i % 4 != 0) {  // not too many in the list at a time: put is linear
          take_one(i);
        }
        if (i % 16 == 0) {
          for (std::uint64_t turn = 0; turn < 16; ++turn) {
            take_one(turn);
          }
        }
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  for (std::uint64_t turn = 0; aside_.has_any_guess() && turn < 3 * tasks.size(); ++turn) {
    take_one(turn);
  }
  EXPECT_EQ(missing.load(), 0U);
  for (const fg::atomic<int>& each : taken) {
    ASSERT_EQ(each.load(), 1);
  }
}

}  // namespace
