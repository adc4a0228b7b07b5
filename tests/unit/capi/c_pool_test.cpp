// Pools and groups of tasks by the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/finegrain.h"
#include "finegrain/host/affinity.hpp"

namespace {

fg_pool* new_pool(const char* policy, std::size_t workers, bool has_assistants = false) {
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.policy = policy;
  options.workers = workers;
  options.assistants = has_assistants ? 1 : 0;
  fg_pool* pool = nullptr;
  EXPECT_EQ(fg_pool_create(&options, &pool), FG_OK) << fg_last_error();
  return pool;
}

void add_one(void* number) { static_cast<std::atomic<int>*>(number)->fetch_add(1); }
void throws(void* /*arguments*/) { throw std::runtime_error{"no luck"}; }

struct fib {
  int n;
  long value;
};
void run_fib(void* arguments) {
  auto& self = *static_cast<fib*>(arguments);
  if (self.n < 2) {
    self.value = self.n;
    return;
  }
  fib f{self.n - 1, 0};
  fib g{self.n - 2, 0};
  fg_fork_join(run_fib, &f, run_fib, &g);
  self.value = f.value + g.value;
}

class c_pool : public testing::TestWithParam<const char*> {};

TEST_P(c_pool, runs_forks_loops_and_groups) {
  fg_pool* const pool = new_pool(GetParam(), 3);
  EXPECT_STREQ(fg_pool_policy(pool), GetParam());
  fib whole{15, 0};
  EXPECT_EQ(fg_pool_run(pool, run_fib, &whole), FG_OK);
  EXPECT_EQ(whole.value, 610);

  std::vector<std::atomic<int>> seen(1000);
  const auto loop = [](void* numbers) {
    for (const int partition : {FG_LAZY, FG_DYNAMIC, FG_FIXED}) {
      EXPECT_EQ(fg_parallel_for(
                    1, 1000,
                    [](void* all, std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) {
                        add_one(&(*static_cast<std::vector<std::atomic<int>>*>(all))[i]);
                      }
                    },
                    numbers, partition, 0),
                FG_OK);
    }
  };
  EXPECT_EQ(fg_pool_run(pool, loop, &seen), FG_OK);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].load(), i == 0 ? 0 : 3) << i;
  }

  std::atomic<int> ran{0};
  const auto spawn = [](void* number) {
    fg_task_group* group = nullptr;
    ASSERT_EQ(fg_task_group_create(&group), FG_OK);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(fg_task_group_spawn(group, add_one, number), FG_OK);
    }
    EXPECT_EQ(fg_task_group_wait(group), FG_OK);
    EXPECT_EQ(static_cast<std::atomic<int>*>(number)->load(), 100);
    fg_task_group_destroy(group);
  };
  EXPECT_EQ(fg_pool_run(pool, spawn, &ran), FG_OK);
  fg_pool_destroy(pool);
}

INSTANTIATE_TEST_SUITE_P(all, c_pool,
                         testing::Values("private_deque", "xqueue_static", "xqueue_wait",
                                         "xqueue_nowait", "xqueue_nowait:2", "combining",
                                         "chase_lev"));

TEST(c_pools, run_what_is_posted_before_they_end) {
  fg_pool* const pool = new_pool(nullptr, 2);
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(fg_pool_post(pool, add_one, &ran), FG_OK);
  }
  fg_pool_destroy(pool);
  EXPECT_EQ(ran.load(), 50);
}

TEST(c_pools, tell_of_exceptions) {
  fg_pool* const pool = new_pool(nullptr, 2);
  EXPECT_EQ(fg_pool_run(pool, throws, nullptr), FG_TASK_THREW);
  EXPECT_STREQ(fg_last_error(), "no luck");
  std::atomic<int> ran{0};
  const auto fork = [](void* number) {
    EXPECT_EQ(fg_fork_join(add_one, number, throws, nullptr), FG_TASK_THREW);
    EXPECT_EQ(fg_fork_join(throws, nullptr, add_one, number), FG_TASK_THREW);
  };
  EXPECT_EQ(fg_pool_run(pool, fork, &ran), FG_OK);
  EXPECT_EQ(ran.load(), 2) << "both branches run";
  const auto spawn = [](void* /*arguments*/) {
    fg_task_group* group = nullptr;
    ASSERT_EQ(fg_task_group_create(&group), FG_OK);
    fg_task_group_spawn(group, throws, nullptr);
    EXPECT_EQ(fg_task_group_wait(group), FG_TASK_THREW);
    EXPECT_EQ(fg_task_group_is_cancelled(group), 0) << "as new";
    EXPECT_EQ(fg_task_group_cancel(group), FG_OK);
    EXPECT_EQ(fg_task_group_is_cancelled(group), 1);
    fg_task_group_destroy(group);
  };
  EXPECT_EQ(fg_pool_run(pool, spawn, nullptr), FG_OK);
  fg_pool_destroy(pool);
}

TEST(c_pools, with_assistants_run_fine_branches) {
  for (const bool has_assistants : {false, true}) {
    struct both {
      fg_pool* pool;
      std::atomic<int> ran;
    } all{new_pool(nullptr, 2, has_assistants), 0};
    const auto fork = [](void* arguments) {
      auto& self = *static_cast<both*>(arguments);
      fg_site site{};
      for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(fg_fork_join_fine(self.pool, &site, add_one, &self.ran, add_one, &self.ran),
                  FG_OK);
      }
    };
    EXPECT_EQ(fg_pool_run(all.pool, fork, &all), FG_OK);
    EXPECT_EQ(all.ran.load(), 2000);
    fg_pool_destroy(all.pool);
  }
}

TEST(c_pools, say_what_they_are_and_have_done) {
  fg_pool* const pool = new_pool("xqueue_wait", 2);
  fib whole{15, 0};
  fg_pool_run(pool, run_fib, &whole);
  ASSERT_GE(fg_pool_size(pool), 1U);
  EXPECT_EQ(fg_pool_size(pool) < 2, *fg_pool_shortage(pool) != '\0');
  EXPECT_EQ(fg_pool_queue_capacity(pool), 64U);
  EXPECT_STREQ(fg_pool_wait_policy(pool), "spin_then_sleep");
  fg_worker_counters counters = FG_WORKER_COUNTERS_INIT;
  int cpu = -2;
  for (std::size_t worker = 0; worker < fg_pool_size(pool); ++worker) {
    ASSERT_EQ(fg_pool_get_counters(pool, worker, &counters), FG_OK);
    ASSERT_EQ(fg_pool_get_cpu(pool, worker, &cpu), FG_OK);
    EXPECT_GE(cpu, -1);
  }
  EXPECT_EQ(fg_pool_get_cpu(pool, fg_pool_size(pool), &cpu), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_pool_get_counters(pool, 0, nullptr), FG_INVALID_ARGUMENT);
  fg_pool_destroy(pool);
}

int cpu_of_a_worker(const fg_pool_options& options) {
  fg_pool* pool = nullptr;
  int cpu = -2;
  EXPECT_EQ(fg_pool_create(&options, &pool), FG_OK);
  EXPECT_EQ(fg_pool_get_cpu(pool, 1, &cpu), FG_OK);
  fg_pool_destroy(pool);
  return cpu;
}

TEST(c_pools, tie_their_threads_or_not) {
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.workers = 2;
  options.placement = FG_EVERY_CPU;
  const int tied = cpu_of_a_worker(options);
  EXPECT_EQ(tied < 0, fg::allowed_cpus().size() < 2);
  for (const int pinning : {FG_PIN_AUTOMATIC, FG_PIN_ALWAYS}) {
    options.pinning = pinning;
    EXPECT_EQ(cpu_of_a_worker(options) < 0, tied < 0);
  }
  options.pinning = FG_PIN_NEVER;
  EXPECT_EQ(cpu_of_a_worker(options), -1);
  options.size = offsetof(fg_pool_options, pinning);  // a program that does not know it
  EXPECT_EQ(cpu_of_a_worker(options) < 0, tied < 0);
}

TEST(c_pools, options_are_checked) {
  fg_pool* pool = nullptr;
  const auto refused = [&pool](auto change) {
    fg_pool_options options = FG_POOL_OPTIONS_INIT;
    change(options);
    const fg_status status = fg_pool_create(&options, &pool);
    EXPECT_EQ(pool, nullptr);
    return status;
  };
  EXPECT_EQ(refused([](auto& options) { options.policy = "none such"; }), FG_INVALID_ARGUMENT);
  EXPECT_NE(std::string{fg_last_error()}.find("none such"), std::string::npos) << fg_last_error();
  EXPECT_EQ(refused([](auto& options) { options.wait = "none such"; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.placement = 3; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.placement = -1; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.pinning = 4; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.scheduling = -1; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.workers = ~std::size_t{0}; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.queue_capacity = ~std::size_t{0}; }),
            FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.spin_budget_us = -1; }), FG_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& options) { options.size = 3; }), FG_INVALID_ARGUMENT);
}

TEST(c_tasks, on_a_thread_that_is_no_worker_run_there) {
  std::atomic<int> ran{0};
  EXPECT_EQ(fg_fork_join(add_one, &ran, add_one, &ran), FG_OK);
  EXPECT_EQ(ran.load(), 2);
  EXPECT_EQ(fg_parallel_for(
                0, 10, [](void* number, std::size_t, std::size_t) { add_one(number); }, &ran, 3, 0),
            FG_INVALID_ARGUMENT)
      << "no such partition";
  EXPECT_EQ(fg_parallel_for(0, 10, nullptr, nullptr, FG_LAZY, 0), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_fork_join(nullptr, nullptr, add_one, &ran), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_task_group_create(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_task_group_spawn(nullptr, add_one, &ran), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_task_group_wait(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_task_group_cancel(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_task_group_is_cancelled(nullptr), 0);
  EXPECT_EQ(fg_pool_create(nullptr, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_pool_run(nullptr, add_one, &ran), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_pool_post(nullptr, add_one, &ran), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_pool_size(nullptr), 0U);
  EXPECT_EQ(fg_pool_policy(nullptr), nullptr);
  EXPECT_EQ(ran.load(), 2);
  fg_pool_destroy(nullptr);
  fg_task_group_destroy(nullptr);
}

}  // namespace
