// Calls whose results are awaited.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/execution/relic_coroutines.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/child_process.hpp"
#include "support/on_thread.hpp"
#include "support/relic_modes.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/execution/waited_coroutine.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::waited_coroutine;
using fg::test::with_relics_of_both_modes;
using fg::test::workers;

waited_coroutine await_on_main(fg::relic& relic, int& sum) {
  const auto main = std::this_thread::get_id();
  int seen = 0;
  int written = 5;
  auto squared = fg::async(relic, [&] {
    seen = relic.called_by_task() ? 1 : 0;
    return written * written;
  });
  auto nothing = fg::async(relic, [&] { ++seen; });
  auto owned = fg::async(relic, [] { return std::make_unique<int>(3); });
  sum = *(co_await owned) + co_await squared;
  co_await nothing;
  sum += seen;
  EXPECT_EQ(std::this_thread::get_id(), main);
}

TEST(relic_async, is_awaited_on_the_main_thread) {
  with_relics_of_both_modes([](fg::relic& relic) {
    for (int round = 0; round < 1000; ++round) {
      int sum = 0;
      await_on_main(relic, sum).get();
      ASSERT_EQ(sum, 3 + 25 + 2);
    }
  });
}

waited_coroutine await_a_throwing_one(fg::relic& relic) {
  auto thrower = fg::async(relic, []() -> int { throw std::runtime_error{"thrown"}; });
  static_cast<void>(co_await thrower);
}

TEST(relic_async, throws_what_the_call_threw_and_leaves_nothing_to_wait) {
  with_relics_of_both_modes([](fg::relic& relic) {
    EXPECT_THROW(await_a_throwing_one(relic).get(), std::runtime_error);
    auto thrower = fg::async(relic, [] { throw std::runtime_error{"thrown"}; });
    EXPECT_THROW(thrower.get(), std::runtime_error);
    EXPECT_NO_THROW(relic.wait());
  });
}

TEST(relic_async, waits_when_it_is_destroyed) {
  with_relics_of_both_modes([](fg::relic& relic) {
    bool ran = false;
    {
      const auto unused = fg::async(relic, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        ran = true;
        throw std::runtime_error{"nobody wants it"};
      });
    }
    EXPECT_TRUE(ran);
    EXPECT_NO_THROW(relic.wait());
  });
}

TEST(relic_async, runs_at_once_in_a_task) {
  with_relics_of_both_modes([](fg::relic& relic) {
    int result = 0;
    relic.submit([&] { result = fg::async(relic, [] { return 4; }).get(); });
    relic.wait();
    EXPECT_EQ(result, 4);
  });
}

TEST(relic_async, holds_more_than_the_queue) {
  fg::relic relic;
  int next = 0;
  const auto number = [&next] { return next++; };
  std::deque<fg::relic_async<fg::relic, std::decay_t<decltype(number)>>> all;
  for (int i = 0; i < 1000; ++i) {
    all.emplace_back(relic, number);
  }
  for (int i = 999; i >= 0; --i) {
    ASSERT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  }
}

using pool_async_of = testing::TestWithParam<fg::test::pool_setting>;
INSTANTIATE_TEST_SUITE_P(every_policy, pool_async_of,
                         testing::ValuesIn(fg::test::pool_settings({2, 3, 8})),
                         fg::test::name_of_pool_setting);

waited_coroutine await_many(fg::pool& pool, int rounds, std::int64_t& sum) {
  for (int round = 0; round < rounds; ++round) {
    auto first = fg::async(pool, [round] { return round; });
    auto second = fg::async(pool, [] { return std::make_unique<int>(1); });
    const int before = round;
    sum += co_await first;
    EXPECT_EQ(before, round);
    sum += *(co_await second);
  }
}

TEST_P(pool_async_of, gives_a_coroutine_the_result) {
  fg::pool pool{GetParam().options()};
  std::int64_t sum = 0;
  await_many(pool, 3000, sum).get();
  EXPECT_EQ(sum, 2999L * 3000 / 2 + 3000);
}

TEST_P(pool_async_of, gives_any_thread_the_result) {
  fg::pool pool{GetParam().options()};
  for (int round = 0; round < 300; ++round) {
    auto outside = fg::async(pool, [round] { return round; });
    const int inside = pool.run([&] {
      auto each = fg::async(pool, [round] { return round; });
      return each.get();
    });
    ASSERT_EQ(outside.get() + inside, 2 * round);
  }
}

waited_coroutine await_with_sleep(fg::pool& pool, bool finished_first, bool& moved) {
  const auto here = std::this_thread::get_id();
  fg::atomic<bool> open{finished_first};
  fg::atomic<bool> done{false};
  std::thread::id ran_on;
  auto call = fg::async(pool, [&] {
    ran_on = std::this_thread::get_id();
    open.wait(false);
    done = true;
  });
  if (finished_first) {
    while (!call.await_ready()) {
      std::this_thread::yield();
    }
    co_await call;
    moved = std::this_thread::get_id() != here;
    co_return;
  }
  std::thread opener{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    open = true;
    open.notify_all();
  }};
  co_await call;
  moved = std::this_thread::get_id() == ran_on && done;
  opener.join();
}

TEST(pool_async, goes_on_where_the_call_ran_or_at_once_where_it_has_ended) {
  fg::pool pool{workers(2)};
  bool moved = false;
  await_with_sleep(pool, false, moved).get();
  EXPECT_TRUE(moved);
  await_with_sleep(pool, true, moved).get();
  EXPECT_FALSE(moved);
}

waited_coroutine await_what_throws(fg::pool& pool) {
  auto thrower = fg::async(pool, []() -> int { throw std::runtime_error{"thrown"}; });
  static_cast<void>(co_await thrower);
}

TEST(pool_async, throws_what_the_call_threw) {
  fg::pool pool{workers(2)};
  EXPECT_THROW(await_what_throws(pool).get(), std::runtime_error);
  auto thrower = fg::async(pool, [] { throw std::runtime_error{"thrown"}; });
  EXPECT_THROW(thrower.get(), std::runtime_error);
}

TEST(pool_async, waits_when_it_is_destroyed) {
  for (std::size_t count = 1; count <= 3; ++count) {
    fg::pool pool{workers(count)};
    bool ran = false;
    {
      const auto unused = fg::async(pool, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        ran = true;
        throw std::runtime_error{"nobody wants it"};
      });
    }
    EXPECT_TRUE(ran);
  }
}

TEST(pool_async, works_in_a_forked_child) {
  FINEGRAIN_TEST_NEEDS_FORK;
  fg::pool pool{workers(2)};
  EXPECT_EQ(fg::test::in_child([&] {
              auto call = fg::async(pool, [] { return 6; });
              return call.get();
            }),
            6);
}

}  // namespace
