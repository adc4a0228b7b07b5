// Tests that do not depend on the policy.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/wait/chosen_wait.hpp"
#include "support/busy.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/forked_fib.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::environment_variable;
using fg::test::forked_fib;
using fg::test::workers;

TEST(pool, takes_its_policy_from_the_options_then_from_the_environment) {
  EXPECT_EQ(fg::pool{workers(1)}.policy(), "private_deque");
  const auto& last = fg::detail::kBalancingPolicies.back();
  const environment_variable environment{"FINEGRAIN_POLICY", last.name};
  EXPECT_EQ(fg::pool{workers(1)}.policy(), last.name);
  fg::pool_options chosen = workers(1);
  chosen.policy = "private_deque";
  EXPECT_EQ(fg::pool{chosen}.policy(), "private_deque");
}

TEST(pool, takes_its_wait_policy_from_the_options_then_from_the_environment) {
  EXPECT_EQ(fg::pool{workers(1)}.wait_policy(), "spin_then_sleep");
  const environment_variable environment{"FINEGRAIN_WAIT", "spin"};
  EXPECT_EQ(fg::pool{workers(1)}.wait_policy(), "spin");
  fg::pool_options chosen = workers(1);
  chosen.wait = "spin_pause";
  EXPECT_EQ(fg::pool{chosen}.wait_policy(), "spin_pause");
  chosen.wait = "doze";
  EXPECT_THROW(fg::pool{chosen}, std::invalid_argument);
}

TEST(pool, refuses_a_policy_that_does_not_exist_and_names_those_that_do) {
  fg::pool_options options;
  options.policy = "magic";
  try {
    const fg::pool pool{options};
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string{error.what()}.find("'magic'"), std::string::npos);
    for (const auto& policy : fg::detail::kBalancingPolicies) {
      EXPECT_NE(std::string{error.what()}.find(policy.name), std::string::npos);
    }
  }
}

TEST(pool, refuses_more_workers_than_any_machine_has) {
  for (const std::size_t asked : {fg::pool_options::kMostWorkers + 1, SIZE_MAX}) {
    try {
      const fg::pool pool{workers(asked)};
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string_view{error.what()}.find(std::to_string(asked)), std::string::npos);
    }
  }
}

TEST(pool, says_once_that_the_environment_names_what_there_is_not) {
  FINEGRAIN_TEST_NEEDS_FORK;
  const environment_variable policy{"FINEGRAIN_POLICY", "ma\ngic"};
  const environment_variable wait{"FINEGRAIN_WAIT", "doze"};
  testing::internal::CaptureStderr();
  const int defaults = fg::test::in_child([] {
    const fg::pool first{workers(1)};
    const fg::pool second{workers(1)};
    return static_cast<int>(second.policy() == "private_deque") +
           static_cast<int>(second.wait_policy() == "spin_then_sleep");
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(defaults, 2);
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
  EXPECT_TRUE(
      said.starts_with("finegrain: FINEGRAIN_POLICY: there is no balancing policy 'ma?gic'; "
                       "there are: private_deque, xqueue_static, "))
      << said;
  EXPECT_NE(said.find("; private_deque is used\nfinegrain: FINEGRAIN_WAIT: there is no wait policy "
                      "'doze' on this processor; there are: spin_then_sleep, spin_pause, spin"),
            std::string::npos)
      << said;
  EXPECT_TRUE(said.ends_with("; spin_then_sleep is used\n")) << said;
}

TEST(pool, has_a_worker_a_cpu_at_most_by_default) {
  const fg::pool pool;
  EXPECT_GE(pool.size(), 1U);
  EXPECT_LE(pool.size(), fg::allowed_cpus().size());
  EXPECT_EQ(pool.cpus().size(), pool.size());
  EXPECT_TRUE(pool.shortage().empty()) << pool.shortage();
}

TEST(pool, passes_on_what_run_returns_and_throws) {
  fg::pool pool{workers(2)};
  EXPECT_EQ(*pool.run([] { return std::make_unique<int>(5); }), 5);
  EXPECT_THROW(pool.run([] { throw std::runtime_error{"thrown"}; }), std::runtime_error);
  int place = 0;
  EXPECT_EQ(&pool.run([&]() -> int& { return place; }), &place);
  EXPECT_EQ(fg::worker::current(), nullptr);
}

TEST(pool, tells_a_task_its_worker) {
  fg::pool pool{workers(3)};
  pool.run([&] {
    ASSERT_NE(fg::worker::current(), nullptr);
    EXPECT_EQ(fg::worker::current()->id(), 0U);
    EXPECT_EQ(&fg::worker::current()->home(), &pool);
    EXPECT_EQ(pool.run([] { return fg::worker::current()->id(); }), 0U);  // nested
  });
}

TEST(pool, really_uses_its_workers) {
  fg::pool pool{workers(2)};
  fg::atomic<int> here{0};
  const bool both = pool.run([&] {
    const auto meet = [&] {  // returns only if both branches run concurrently
      ++here;
      const auto start = std::chrono::steady_clock::now();
      while (here < 2 && std::chrono::steady_clock::now() - start < std::chrono::seconds{60}) {
        std::this_thread::yield();
      }
      return here == 2;
    };
    const auto [f, g] = fg::fork_join(meet, meet);
    return f && g;
  });
  EXPECT_TRUE(both);
}

// With one usable CPU, where it could not move, it has never been pinned. Which worker moves on
// machines with more CPUs than this one: pool_cpus_test.cpp.
TEST(pool, ties_no_worker_to_the_cpu_of_its_caller) {
  fg::pool_options options = workers(2);
  options.placement = fg::worker_placement::every_cpu;
  fg::pool pool{options};
  const std::vector<int> usable = fg::allowed_cpus();
  for (const int taken : usable) {
    int worker_on = -1;
    fg::test::on_thread([&] {
      fg::test::restrict_this_thread_to(taken);
      EXPECT_EQ(pool.run([] { return forked_fib(10); }), 55);
      fg::broadcast(pool, [&](std::size_t id) {
        if (id == 1) {
          worker_on = fg::current_cpu();
        }
      });
    });
    EXPECT_EQ(pool.cpus()[1] >= 0, usable.size() > 1);
    EXPECT_EQ(worker_on, usable.size() > 1 ? pool.cpus()[1] : taken);
    EXPECT_NE(pool.cpus()[1], taken);
  }
}

TEST(pool, keeps_a_task_stealable_while_the_spawner_works) {
  fg::pool pool{workers(2)};
  fg::atomic<bool> ran{false};
  pool.run([&] {
    fg::task_group group;
    group.spawn([&] { ran = true; });
    const auto start = std::chrono::steady_clock::now();
    while (!ran && std::chrono::steady_clock::now() - start < std::chrono::seconds{60}) {
    }
    EXPECT_TRUE(ran);  // another thread ran it: this worker has not waited yet
    group.wait();
  });
}

// CPU time, in seconds, that a pool uses in 300 ms after its budgets are spent.
double cpu_seconds_when_idle(fg::pool& pool) {
  EXPECT_EQ(pool.run([] { return forked_fib(15); }), 610);
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  const auto before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

// How often each worker has slept, as it counts itself.
std::vector<std::uint64_t> sleeps_of(fg::pool& pool) {
  std::vector<std::uint64_t> sleeps(pool.size());
  fg::broadcast(pool, [&](std::size_t id) {
    if (const fg::worker* const self = fg::worker::current()) {  // gcc thinks that it may be null
      sleeps[id] = self->counters().sleeps;
    }
  });
  return sleeps;
}

// No thread calls `run` then, but a worker falls asleep, and counts that.
TEST(pool, tells_what_its_workers_have_done_while_they_fall_asleep) {
  fg::pool_options options = workers(2);
  options.spin_budget = std::chrono::microseconds{0};
  for (int round = 0; round < 20; ++round) {
    const fg::pool pool{options};
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (pool.counters(1).sleeps == 0 && std::chrono::steady_clock::now() < patience) {
      std::this_thread::yield();
    }
    EXPECT_NE(pool.counters(1).sleeps, 0U);
  }
}

TEST(pool, tells_spinning_from_working) {
  fg::pool_options options = workers(2);
  options.spin_budget = std::chrono::hours{1};
  fg::pool pool{options};
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (pool.counters(1).spun_ns < 100'000'000 && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  const fg::worker_counters idle = pool.counters(1);
  EXPECT_GE(idle.spun_ns, 100'000'000U);
  EXPECT_LT(idle.worked_ns, idle.spun_ns);

  fg::atomic<bool> ran{false};
  pool.post([&] {
    fg::test::busy_for(std::chrono::milliseconds{100});
    ran = true;
  });
  while (!ran) {
    std::this_thread::yield();
  }
  // With one CPU this thread takes some of the 100 ms; the time spun is an estimate.
  EXPECT_GT(pool.counters(1).worked_ns, idle.worked_ns + 20'000'000);
  EXPECT_EQ(pool.counters(0).worked_ns, 0U);
}

// Three sleepers use a thousandth of a CPU.
TEST(pool, sleeps_when_idle_if_its_wait_policy_does) {
  for (const fg::detail::chosen_wait& wait : fg::detail::kWaitPolicies) {
    if (!wait.is_supported()) {
      continue;  // refused: the test above
    }
    fg::pool_options options = workers(4);
    options.spin_budget = std::chrono::microseconds{100};
    options.wait = wait.name();
    fg::pool pool{options};
    const double used = cpu_seconds_when_idle(pool);
    const std::vector<std::uint64_t> sleeps = sleeps_of(pool);
    for (std::size_t id = 1; id < sleeps.size(); ++id) {
      EXPECT_EQ(sleeps[id] != 0, wait.sleeps_by_itself()) << wait.name() << ", worker " << id;
    }
    if (wait.sleeps_by_itself()) {
      EXPECT_LT(used, 0.03) << wait.name();
    }
  }
}

// Posts tasks at intervals; returns how long worker 1 has looked for them.
std::chrono::nanoseconds spun_between_tasks(fg::pool& pool, std::chrono::microseconds interval,
                                            int tasks) {
  const std::uint64_t before = pool.counters(1).spun_ns;
  for (int i = 0; i < tasks; ++i) {
    fg::atomic<bool> ran{false};
    pool.post([&] { ran = true; });
    while (!ran) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(interval);
  }
  return std::chrono::nanoseconds{pool.counters(1).spun_ns - before};
}

// With a fixed budget it would look for 2 ms after each task. A busy machine may disturb a round.
TEST(pool, looks_for_work_for_a_moment_only_where_that_never_finds_any) {
  constexpr int kTasks = 16;
  fg::pool_options options = workers(2);
  options.spin_budget = std::chrono::milliseconds{2};
  options.wait = "spin_then_sleep";
  fg::pool pool{options};
  const std::chrono::nanoseconds most = kTasks * options.spin_budget / 4;
  std::chrono::nanoseconds spun = most;
  for (int tries = 0; tries < 50 && spun >= most; ++tries) {
    spun = spun_between_tasks(pool, 5 * options.spin_budget, kTasks);
  }
  EXPECT_LT(spun, most);
}

TEST(pool, runs_inline_where_it_is_the_only_worker) {
  fg::pool pool{workers(1)};
  EXPECT_EQ(pool.run([] { return forked_fib(20); }), 6765);
  EXPECT_EQ(pool.counters(0).steals, 0U);
}

TEST(pool, runs_posted_tasks_without_run) {
  fg::pool pool{workers(2)};
  fg::atomic<bool> ran{false};
  pool.post([&] { ran = true; });
  const auto start = std::chrono::steady_clock::now();
  while (!ran && std::chrono::steady_clock::now() - start < std::chrono::seconds{60}) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(ran);
}

TEST(pool, runs_what_was_posted_before_it_ends) {
  for (const std::size_t count : {1U, 3U}) {
    int ran = 0;
    {
      fg::pool pool{workers(count)};
      std::mutex guard;
      for (int task = 0; task < 50; ++task) {
        pool.post([&] {
          const std::lock_guard lock{guard};
          ++ran;
        });
      }
    }
    EXPECT_EQ(ran, 50);
  }
}

TEST(pool, many_at_once) {
  std::vector<std::unique_ptr<fg::pool>> pools;
  pools.reserve(20);
  for (int i = 0; i < 20; ++i) {
    pools.push_back(std::make_unique<fg::pool>(workers(3)));
  }
  for (auto& pool : pools) {
    EXPECT_EQ(pool->run([] { return forked_fib(12); }), 144);
  }
}

TEST(pool, a_group_outside_of_a_pool_runs_at_once) {
  std::vector<int> order;
  fg::task_group group;
  group.spawn([&] { order.push_back(1); });
  EXPECT_EQ(order.size(), 1U);
  group.spawn([] { throw std::runtime_error{"thrown"}; });
  group.spawn([&] { order.push_back(2); });  // cancelled
  EXPECT_THROW(group.wait(), std::runtime_error);
  EXPECT_EQ(order, (std::vector{1}));
}

TEST(pool, spawning_what_can_not_be_copied_leaves_the_group_as_it_was) {
  struct throws_on_copy {
    throws_on_copy() = default;
    throws_on_copy(const throws_on_copy& /*other*/) { throw std::runtime_error{"copy"}; }
    throws_on_copy(throws_on_copy&& /*other*/) noexcept {}
    throws_on_copy& operator=(const throws_on_copy&) = delete;
    void operator()() const {}
  };
  fg::pool pool{workers(2)};
  pool.run([] {
    fg::task_group group;
    const throws_on_copy closure;
    EXPECT_THROW(group.spawn(closure), std::runtime_error);
    EXPECT_NO_THROW(group.wait());
  });
}

// A flat loop longer than a worker has blocks: the rest runs at once.
TEST(pool, runs_tasks_at_once_when_too_many_wait) {
  fg::pool pool{workers(1)};
  constexpr std::uint64_t kTasks = 10'000;
  std::uint64_t ran = 0;
  pool.run([&] {
    fg::task_group group;
    for (std::uint64_t task = 0; task < kTasks; ++task) {
      group.spawn([&ran] { ++ran; });
    }
    EXPECT_EQ(ran, kTasks - fg::detail::task_blocks::kMostBlocks);
    group.wait();
  });
  EXPECT_EQ(ran, kTasks);
  EXPECT_EQ(pool.counters(0).inlined, kTasks - fg::detail::task_blocks::kMostBlocks);
}

TEST(pool, runs_inline_in_a_forked_child) {
  FINEGRAIN_TEST_NEEDS_FORK;
  fg::pool pool{workers(3)};
  ASSERT_EQ(pool.run([] { return forked_fib(12); }), 144);
  EXPECT_EQ(fg::test::in_child([&pool] {
              const bool right = pool.run([] { return forked_fib(12); }) == 144;
              const bool has_thread = pool.counters(1).worked_ns != 0;
              pool.~pool();
              return right && !has_thread ? 0 : 1;
            }),
            0);
  EXPECT_EQ(pool.run([] { return forked_fib(12); }), 144);
}

}  // namespace
