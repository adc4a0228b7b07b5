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

// Around the sizes where calls begin to hand over others: more than 8 right below the caller's, and
// more than one that has calls below.
class pool_broadcast_of_many : public testing::TestWithParam<std::size_t> {
 protected:
  void expect_one_call_each() {
    std::vector<int> calls(GetParam());
    fg::broadcast(pool_, [&](std::size_t id) { ++calls[id]; });
    EXPECT_EQ(calls, std::vector<int>(GetParam(), 1));
  }

  fg::pool pool_{fg::test::workers(GetParam())};
};

TEST_P(pool_broadcast_of_many, calls_once_on_each_worker) { expect_one_call_each(); }

TEST_P(pool_broadcast_of_many, calls_once_on_each_worker_from_an_own_thread) {
  fg::atomic<bool> is_over{false};
  pool_.post([&] {
    expect_one_call_each();
    is_over = true;
  });
  while (!is_over) {
    std::this_thread::yield();
  }
}

TEST_P(pool_broadcast_of_many, passes_on_an_exception_of_any_call) {
  for (std::size_t thrower = 0; thrower != pool_.size(); ++thrower) {
    fg::atomic<std::size_t> calls{0};
    EXPECT_THROW(fg::broadcast(pool_,
                               [&](std::size_t id) {
                                 ++calls;
                                 if (id == thrower) {
                                   throw std::runtime_error{"thrown"};
                                 }
                               }),
                 std::runtime_error);
    EXPECT_EQ(calls, pool_.size());
  }
}

INSTANTIATE_TEST_SUITE_P(around, pool_broadcast_of_many, testing::Values(9, 10, 11, 18, 74));

// Of twelve, eight are held until the others have been called, which these eight would hand over.
TEST(pool_broadcast_of_twelve, waits_for_no_busy_worker_to_call_another) {
  constexpr std::size_t kHeld = 8;
  fg::pool pool{fg::test::workers(12)};
  fg::atomic<std::size_t> held{0};
  fg::atomic<std::size_t> called{0};
  const auto hold = [&](const auto& self) -> void {
    if (fg::worker::current()->id() > kHeld) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});  // for others to look meanwhile
      pool.post([&self] { self(self); });
      return;
    }
    ++held;
    while (called < 3) {
      std::this_thread::yield();
    }
  };
  for (std::size_t task = 0; task != kHeld; ++task) {
    pool.post([&hold] { hold(hold); });
  }
  while (held < kHeld) {
    std::this_thread::yield();
  }
  fg::broadcast(pool, [&](std::size_t id) { called += id > kHeld ? 1 : 0; });
  EXPECT_EQ(called, 3U);
}

TEST(pool_broadcast_outside, calls_here_where_there_is_no_pool) {
  std::size_t calls = 0;
  fg::broadcast([&](std::size_t id) { calls += id + 1; });
  EXPECT_EQ(calls, 1U);
}

}  // namespace
