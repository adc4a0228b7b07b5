// Owners that are stopped anywhere, also inside their own queues, and others that act as their
// deputies.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/balance/deputies.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/biased_lock.hpp"
#include "support/balancer_run.hpp"
#include "support/chaos_run.hpp"

namespace {

using fg::test::dawdle;
using fg::test::mixed;

constexpr std::size_t kWorkers = 3;
constexpr std::size_t kRoom = 8;
constexpr auto kAll = fg::detail::deputised::everybody;

// ---- the policies as the drop-in uses them ----

struct deputised_policy {
  std::string name;
  std::function<std::unique_ptr<fg::detail::balancer>(std::deque<fg::detail::deputised_deque>&,
                                                      fg::detail::idle_workers&)>
      make;
};

std::vector<deputised_policy> deputised_policies() {
  return {
      {"private_deque",
       [](std::deque<fg::detail::deputised_deque>& deques, fg::detail::idle_workers& idle) {
         std::vector<fg::detail::deputised_deque*> all;
         all.reserve(deques.size());
         for (fg::detail::deputised_deque& each : deques) {
           all.push_back(&each);
         }
         return std::make_unique<
             fg::detail::basic_private_deque_balance<fg::detail::deputised_deque>>(all, idle);
       }},
      {"xqueue_static",
       [](auto&, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_static>(kWorkers, idle, kRoom, kAll);
       }},
      {"xqueue_wait",
       [](auto&, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_wait>(
             kWorkers, idle, fg::detail::xqueue_wait::patience{1, 4}, kRoom, kAll);
       }},
      {"xqueue_nowait",
       [](auto&, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_nowait>(kWorkers, idle, 1, kRoom, kAll);
       }},
  };
}

class deputies_chaos : public testing::TestWithParam<std::size_t> {};

TEST_P(deputies_chaos, trees_of_tasks_from_some_of_the_workers) {
  fg::test::chaos_run chaos;
  fg::detail::idle_workers idle{kWorkers};
  std::deque<fg::detail::deputised_deque> deques(kWorkers);
  const auto policy = deputised_policies()[GetParam()].make(deques, idle);
  fg::test::balancer_run run{*policy, idle, kWorkers};
  while (chaos.goes_on() && !testing::Test::HasFailure()) {
    const std::size_t producers = 1 + chaos.random() % kWorkers;
    if (chaos.random() % 2 == 0) {
      run.run(producers, 1 + chaos.random() % 3000);
    } else {
      run.run_flat(0, producers, 1 + chaos.random() % 1000);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every_policy, deputies_chaos,
                         testing::Range(std::size_t{0}, std::size_t{4}),
                         [](const auto& param_info) {
                           return deputised_policies()[param_info.param].name;
                         });

// ---- the deque alone: the owner is inside most of the time, so it is stopped there, too ----

struct counted_task : fg::pool_task {
  fg::atomic<std::uint64_t> taken{0};
};

TEST(deputised_deque_chaos, each_task_comes_out_once) {
  fg::test::chaos_run run;
  fg::detail::deputised_deque deque;
  deque.open(true);
  std::vector<counted_task> tasks(1000);
  fg::atomic<std::size_t> left{0};
  fg::atomic<bool> over{false};
  const auto take = [&left](fg::pool_task* task) {
    if (task != nullptr) {
      ++static_cast<counted_task*>(task)->taken;
      --left;
    }
  };
  std::vector<std::thread> deputies;
  deputies.reserve(2);
  for (int each = 0; each < 2; ++each) {
    deputies.emplace_back([&, random = run.random()]() mutable {
      std::array<fg::pool_task*, 4> stolen{};
      for (; !over.load(); random = mixed(random)) {
        const std::size_t count = deque.steal(stolen);
        std::for_each_n(stolen.begin(), count, take);
        if (count == 0 && !deque.publish_as_deputy()) {
          deque.ask();
        }
        dawdle(random);
      }
    });
  }
  std::uint64_t round = 0;
  while (run.goes_on() && !testing::Test::HasFailure()) {
    ++round;
    left.store(tasks.size());
    for (counted_task& each : tasks) {
      const std::uint64_t random = run.random();
      if (!deque.push_unless_asked(each)) {
        deque.push(each);
        deque.answer();
      }
      if (random % 2 == 0) {
        take(random % 4 == 0 ? deque.pop() : deque.pop_newest_unless_asked());
      }
    }
    while (left.load() != 0) {
      take(deque.pop());
    }
    for (const counted_task& each : tasks) {
      EXPECT_EQ(each.taken.load(), round);
    }
  }
  over.store(true);
  for (std::thread& each : deputies) {
    each.join();
  }
}

// ---- the lock ----

// Read, and written some time later: two at a time lose an update, and are a race for TSan.
struct shared_count {
  std::uint64_t value = 0;
  void add_one(std::uint64_t random) {
    const std::uint64_t before = value;
    dawdle(random);
    value = before + 1;
  }
};

TEST(biased_lock_chaos, lets_in_one_at_a_time) {
  fg::test::chaos_run run;
  fg::detail::biased_lock lock;
  shared_count inside;
  fg::atomic<bool> over{false};
  std::array<std::uint64_t, 3> entries{};
  std::vector<std::thread> threads;
  threads.reserve(entries.size());
  for (std::size_t each = 0; each < entries.size(); ++each) {
    threads.emplace_back([&, each, random = run.random()]() mutable {
      for (; !over.load(); random = mixed(random)) {
        const bool owner = each == 0;
        if (owner ? lock.try_enter() : lock.try_enter_as_deputy()) {
          inside.add_one(random >> 8U);
          ++entries[each];
          owner ? lock.leave() : lock.leave_as_deputy();
        }
        if (random % 8 == 0) {
          std::this_thread::yield();
        }
      }
    });
  }
  while (run.goes_on()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  over.store(true);
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(inside.value, entries[0] + entries[1] + entries[2]);
  EXPECT_GT(entries[0], 0U);
  EXPECT_GT(entries[1] + entries[2], 0U);
}

}  // namespace
