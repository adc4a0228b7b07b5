// A call on each worker, under every policy.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/pool/broadcast.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/pool/worker.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

class pool_broadcast : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

TEST_P(pool_broadcast, calls_once_on_each_worker) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> calls(pool_.size());
    std::vector<std::thread::id> threads(pool_.size());
    fg::broadcast(pool_, [&](std::size_t id) {
      EXPECT_EQ(fg::worker::current()->id(), id);
      ++calls[id];
      threads[id] = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, std::vector<int>(pool_.size(), 1));
    for (std::size_t id = 1; id < threads.size(); ++id) {
      EXPECT_NE(threads[id], threads[id - 1]);
    }
  }
}

// No call can end before all have begun, so every worker is called although each one is busy.
TEST_P(pool_broadcast, calls_run_side_by_side) {
  fg::atomic<std::size_t> begun{0};
  fg::broadcast(pool_, [&](std::size_t) {
    ++begun;
    while (begun < pool_.size()) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(begun, pool_.size());
}

TEST_P(pool_broadcast, calls_may_spawn_and_wait) {
  fg::atomic<int> ran{0};
  fg::broadcast(pool_, [&](std::size_t) {
    fg::task_group group;
    for (int task = 0; task < 100; ++task) {
      group.spawn([&] { ++ran; });
    }
    group.wait();
  });
  EXPECT_EQ(ran, 100 * static_cast<int>(pool_.size()));
}

TEST_P(pool_broadcast, reaches_workers_that_sleep) {
  fg::pool_options options = GetParam().options();
  options.spin_budget = {};
  fg::pool pool{options};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    fg::atomic<std::size_t> calls{0};
    fg::broadcast(pool, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, pool.size());
  }
}

TEST_P(pool_broadcast, reaches_workers_that_wait) {
  const auto count = [&] {
    std::vector<int> calls(pool_.size());
    fg::broadcast([&](std::size_t id) { ++calls[id]; });
    return calls == std::vector<int>(pool_.size(), 1);
  };
  pool_.run([&] {
    const auto [one, other] = fg::fork_join(count, count);  // two at a time
    EXPECT_TRUE(one && other);
  });
}

TEST_P(pool_broadcast, passes_on_an_exception_when_all_have_returned) {
  fg::atomic<std::size_t> calls{0};
  EXPECT_THROW(fg::broadcast(pool_,
                             [&](std::size_t id) {
                               ++calls;
                               if (id + 1 == pool_.size()) {
                                 throw std::runtime_error{"thrown"};
                               }
                             }),
               std::runtime_error);
  EXPECT_EQ(calls, pool_.size());
}

INSTANTIATE_TEST_SUITE_P(all, pool_broadcast, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

TEST(pool_broadcast_outside, calls_here_where_there_is_no_pool) {
  std::size_t calls = 0;
  fg::broadcast([&](std::size_t id) { calls += id + 1; });
  EXPECT_EQ(calls, 1U);
}

}  // namespace
