// The requirements on every policy at every number of workers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/forked_fib.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::forked_fib;

class pool_suite : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

std::int64_t serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

std::int64_t grouped_fib(int n) {
  if (n < 2) {
    return n;
  }
  std::int64_t a = 0;
  std::int64_t b = 0;
  fg::task_group both;
  both.spawn([&a, n] { a = grouped_fib(n - 1); });
  both.spawn([&b, n] { b = grouped_fib(n - 2); });
  both.wait();
  return a + b;
}

constexpr int kFib = fg::test::kSlow ? 15 : 21;

TEST_P(pool_suite, has_the_workers_and_the_policy_that_were_asked_for) {
  EXPECT_EQ(pool_.size(), GetParam().workers) << pool_.shortage();
  EXPECT_EQ(pool_.policy(), GetParam().policy);
}

TEST_P(pool_suite, forks_recursively) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(pool_.run([] { return forked_fib(kFib); }), serial_fib(kFib));
  }
}

TEST_P(pool_suite, nests_groups) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(pool_.run([] { return grouped_fib(kFib); }), serial_fib(kFib));
  }
}

TEST_P(pool_suite, runs_each_task_of_a_flat_group_once) {
  constexpr std::size_t kTasks = fg::test::kSlow ? 3'000 : 30'000;
  std::vector<fg::atomic<int>> runs(kTasks);
  for (int round = 1; round <= 3; ++round) {
    pool_.run([&] {
      fg::task_group group;
      for (auto& count : runs) {
        group.spawn([&count] { count.fetch_add(1, fg::memory_order_relaxed); });
      }
      group.wait();
      ASSERT_TRUE(std::ranges::all_of(runs, [round](const auto& n) { return n == round; }));
    });
  }
}

TEST_P(pool_suite, lets_tasks_spawn_into_their_group) {
  fg::atomic<int> leaves{0};
  struct tree {
    fg::task_group& group;
    fg::atomic<int>& leaves;
    void grow(int depth) const {
      if (depth == 0) {
        leaves.fetch_add(1, fg::memory_order_relaxed);
        return;
      }
      for (int child = 0; child < 3; ++child) {
        group.spawn([self = *this, depth] { self.grow(depth - 1); });
      }
    }
  };
  constexpr int kDepth = fg::test::kSlow ? 6 : 8;
  pool_.run([&] {
    fg::task_group group;
    tree{group, leaves}.grow(kDepth);
    group.wait();
    EXPECT_EQ(leaves, fg::test::kSlow ? 729 : 6561);
  });
}

TEST_P(pool_suite, makes_writes_visible_both_ways) {
  pool_.run([] {
    for (int round = 0; round < 200; ++round) {
      int before = round;
      int from_f = 0;
      int from_g = 0;
      fg::fork_join([&] { from_f = before + 1; }, [&] { from_g = before + 2; });
      ASSERT_EQ(from_f, round + 1);
      ASSERT_EQ(from_g, round + 2);
    }
  });
}

TEST_P(pool_suite, passes_results_that_can_only_be_moved) {
  pool_.run([] {
    for (int round = 0; round < 100; ++round) {
      auto [a, b] = fg::fork_join([] { return std::make_unique<int>(1); },
                                  [] { return std::make_unique<int>(2); });
      ASSERT_EQ(*a + *b, 3);
    }
  });
}

TEST_P(pool_suite, passes_on_the_exception_of_either_branch_and_runs_the_other) {
  pool_.run([] {
    for (int round = 0; round < 100; ++round) {
      bool other = false;
      EXPECT_THROW(fg::fork_join([] { throw std::runtime_error{"f"}; }, [&] { other = true; }),
                   std::runtime_error);
      EXPECT_TRUE(other);
      other = false;
      EXPECT_THROW(fg::fork_join([&] { other = true; }, [] { throw std::logic_error{"g"}; }),
                   std::logic_error);
      EXPECT_TRUE(other);
      EXPECT_THROW(
          fg::fork_join([] { throw std::runtime_error{"f"}; }, [] { throw std::logic_error{"g"}; }),
          std::runtime_error);
    }
  });
}

TEST_P(pool_suite, passes_on_an_exception_of_a_task_and_drops_what_has_not_begun) {
  pool_.run([] {
    fg::task_group group;
    for (int round = 0; round < 20; ++round) {
      fg::atomic<int> ran{0};
      group.spawn([] { throw std::runtime_error{"task"}; });
      for (int task = 0; task < 50; ++task) {
        group.spawn([&ran] { ran.fetch_add(1); });
      }
      EXPECT_THROW(group.wait(), std::runtime_error);
      EXPECT_LE(ran, 50);
      group.spawn([&ran] { ran = 1000; });  // as new
      EXPECT_NO_THROW(group.wait());
      EXPECT_EQ(ran, 1000);
    }
  });
}

TEST_P(pool_suite, stops_a_cancelled_group) {
  pool_.run([] {
    fg::task_group group;
    fg::atomic<int> ran{0};
    group.spawn([&] { group.cancel(); });
    group.wait();
    EXPECT_FALSE(group.is_cancelled());
    group.cancel();
    for (int task = 0; task < 50; ++task) {
      group.spawn([&ran] { ran.fetch_add(1); });
    }
    group.wait();
    EXPECT_EQ(ran, 0);
  });
}

TEST_P(pool_suite, runs_closures_of_any_size) {
  struct big {
    std::uint64_t numbers[40];
  };
  pool_.run([] {
    big values{};
    values.numbers[39] = 7;
    fg::atomic<std::uint64_t> sum{0};
    fg::task_group group;
    for (int task = 0; task < 100; ++task) {
      group.spawn([values, &sum] { sum.fetch_add(values.numbers[39]); });
      group.spawn([text = std::string(100, 'x'), &sum] { sum.fetch_add(text.size()); });
    }
    group.wait();
    EXPECT_EQ(sum, 100 * 7 + 100 * 100);
  });
}

TEST_P(pool_suite, lets_callers_take_turns) {
  constexpr int kCallers = 4;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  fg::atomic<int> right{0};
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        right += pool_.run([] { return forked_fib(10); }) == 55 ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(right, kCallers * 10);
}

TEST_P(pool_suite, runs_what_foreign_threads_post) {
  constexpr int kTasks = 200;
  fg::atomic<int> ran{0};
  {
    fg::pool pool{GetParam().options()};
    std::thread foreign{[&] {
      for (int task = 0; task < kTasks; ++task) {
        pool.post([&ran] { ran += forked_fib(5) == 5 ? 1 : 0; });
      }
    }};
    EXPECT_EQ(pool.run([] { return forked_fib(12); }), 144);
    foreign.join();
  }
  EXPECT_EQ(ran, kTasks);
}

TEST_P(pool_suite, waits_at_the_end_for_what_posted_tasks_fork) {
  fg::atomic<bool> has_begun{false};
  fg::atomic<std::int64_t> result{0};
  {
    fg::pool pool{GetParam().options()};
    pool.post([&] {
      has_begun = true;
      // By now the destructor has begun, and the other workers have nothing to do.
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      result = forked_fib(12);
    });
    while (GetParam().workers > 1 && !has_begun) {
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(result, 144);
}

TEST_P(pool_suite, works_after_all_have_slept) {
  fg::pool_options options = GetParam().options();
  options.spin_budget = std::chrono::microseconds{0};
  fg::pool pool{options};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    ASSERT_EQ(pool.run([] { return grouped_fib(12); }), 144);
    ASSERT_EQ(pool.run([] { return forked_fib(12); }), 144);
  }
}

TEST_P(pool_suite, bounds_the_stack) {
  fg::pool_options options = GetParam().options();
  options.help_stack_bytes = 1;  // whatever it helps with runs serially
  fg::pool pool{options};
  EXPECT_EQ(pool.run([] { return forked_fib(15); }), 610);
  EXPECT_EQ(pool.run([] { return grouped_fib(15); }), 610);
}

TEST_P(pool_suite, runs_inside_another_pools_task) {
  fg::pool inner{GetParam().options()};
  const auto in_inner = [&] { return inner.run([] { return forked_fib(10); }); };
  const auto and_back = [&] {
    return inner.run([&] { return pool_.run([&] { return in_inner() + forked_fib(5); }); });
  };
  pool_.run([&] {
    const auto [a, b] = fg::fork_join(in_inner, and_back);
    EXPECT_EQ(a, 55);
    EXPECT_EQ(b, 60);
  });
}

INSTANTIATE_TEST_SUITE_P(all, pool_suite, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

}  // namespace
