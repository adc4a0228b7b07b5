// Coroutines that move to another thread.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <thread>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/execution/relic_coroutines.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/forked_fib.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/execution/waited_coroutine.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::waited_coroutine;

waited_coroutine go_to_worker(fg::pool& pool, int rounds, fg::atomic<int>& on_workers) {
  for (int round = 0; round < rounds; ++round) {
    co_await fg::resume_on(pool);
    on_workers += &fg::worker::current()->home() == &pool ? 1 : 0;
  }
}

TEST(resume_on_a_pool, goes_on_on_a_worker) {
  for (const fg::test::pool_setting& setting : fg::test::pool_settings({2, 3})) {
    fg::pool pool{setting.options()};
    fg::atomic<int> on_workers{0};
    go_to_worker(pool, 2000, on_workers).get();
    EXPECT_EQ(on_workers, 2000) << setting.policy;
  }
}

waited_coroutine fork_there(fg::pool& pool, std::int64_t& result) {
  co_await fg::resume_on(pool);
  result = fg::test::forked_fib(15);
  throw std::runtime_error{"thrown"};
}

TEST(resume_on_a_pool, may_fork_there_and_throw) {
  fg::pool pool{fg::test::workers(2)};
  std::int64_t result = 0;
  auto coroutine = fork_there(pool, result);
  EXPECT_THROW(coroutine.get(), std::runtime_error);
  EXPECT_EQ(result, 610);
}

waited_coroutine go_to_assistant(fg::relic& relic, int& steps) {
  co_await fg::resume_on(relic);
  steps += relic.called_by_task() ? 1 : 0;
  co_await fg::resume_on(relic);  // already there
  steps += relic.called_by_task() ? 1 : 0;
}

TEST(resume_on_a_relic, goes_on_on_the_assistant_and_is_waited_for) {
  for (const bool inlined : {false, true}) {
    fg::test::on_thread([&] {
      if (inlined) {
        fg::test::restrict_this_thread_to(fg::usable_cpus().front());
      }
      fg::relic relic;
      for (int round = 0; round < 1000; ++round) {
        int steps = 0;
        auto coroutine = go_to_assistant(relic, steps);
        relic.wait();
        ASSERT_EQ(steps, 2);
        coroutine.get();
      }
    });
  }
}

waited_coroutine go_to_both(fg::relic& relic, fg::pool& pool, bool& was_there, bool& left) {
  co_await fg::resume_on(relic);
  was_there = relic.called_by_task();
  co_await fg::resume_on(pool);
  left = !relic.called_by_task() && fg::worker::current() != nullptr;
}

TEST(resume_on_a_relic, may_leave_the_assistant_for_a_pool) {
  fg::relic relic;
  fg::pool pool{fg::test::workers(2)};
  bool was_there = false;
  bool left = false;
  go_to_both(relic, pool, was_there, left).get();
  EXPECT_TRUE(was_there);
  EXPECT_TRUE(left);
}

}  // namespace
