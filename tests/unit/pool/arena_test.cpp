// Which threads work in a pool: callers that come and go, its own threads, the spare one. Every
// policy.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/pool/isolate.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/forked_fib.hpp"
#include "support/process_threads.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::forked_fib;
using fg::test::workers;

class arena : public testing::TestWithParam<fg::test::pool_setting> {};

INSTANTIATE_TEST_SUITE_P(every_policy, arena, testing::ValuesIn(fg::test::pool_settings({1, 2, 3})),
                         fg::test::name_of_pool_setting);

// A flag set by another thread; the test hangs if none sets it.
class flag {
 public:
  void set() noexcept { set_.store(true, fg::memory_order_release); }
  [[nodiscard]] bool is_set() const noexcept { return set_.load(fg::memory_order_acquire); }
  void await() const noexcept {
    while (!is_set()) {
      std::this_thread::yield();
    }
  }

 private:
  fg::atomic<bool> set_{false};
};

TEST_P(arena, runs_what_is_posted_while_nobody_is_in_run) {
  fg::pool pool{GetParam().options()};
  flag ran;
  pool.post([&] { ran.set(); });
  ran.await();
}

TEST_P(arena, runs_what_is_posted_while_all_workers_are_in_a_long_run) {
  fg::pool pool{GetParam().options()};
  flag ran;
  pool.run([&] {
    pool.post([&] { ran.set(); });
    fg::broadcast([&](std::size_t /*id*/) { ran.await(); });
  });
}

TEST_P(arena, runs_what_a_worker_has_posted_and_waits_for) {
  fg::pool pool{GetParam().options()};
  for (int round = 0; round < 20; ++round) {
    flag first;
    flag second;
    pool.post([&] {
      pool.post([&] { second.set(); });
      first.set();
    });
    pool.run([&] {
      first.await();
      second.await();
    });
  }
}

TEST_P(arena, lets_a_stranger_in_while_somebody_runs) {
  fg::pool pool{GetParam().options()};
  flag left;
  std::thread stranger;
  pool.run([&] {
    stranger = std::thread{[&] {
      EXPECT_EQ(pool.run([] { return forked_fib(12); }), 144);
      int place = 0;
      EXPECT_EQ(&pool.run([&]() -> int& { return place; }), &place);
      EXPECT_EQ(*pool.run([] { return std::make_unique<int>(5); }), 5);
      EXPECT_THROW(pool.run([] { throw std::runtime_error{"thrown"}; }), std::runtime_error);
      left.set();
    }};
    left.await();
  });
  stranger.join();
}

TEST_P(arena, serves_many_callers_at_once) {
  fg::pool pool{GetParam().options()};
  std::vector<std::thread> callers;
  callers.reserve(8);
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&pool] {
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(pool.run([] { return forked_fib(10); }), 55);
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
}

TEST_P(arena, gives_a_value_to_a_stranger_while_somebody_runs) {
  fg::pool pool{GetParam().options()};
  flag got;
  std::thread stranger;
  pool.run([&] {
    stranger = std::thread{[&] {
      EXPECT_EQ(fg::async(pool, [] { return 7; }).get(), 7);
      got.set();
    }};
    got.await();
  });
  stranger.join();
}

// In each pool at most one caller at a time, so that the inner calls do not get a slot.
TEST_P(arena, runs_nested_in_other_pools_and_back) {
  fg::pool_options options = GetParam().options();
  options.callers = 1;
  for (int round = 0; round < 20; ++round) {
    fg::pool first{options};
    fg::pool second{options};
    const auto in_first = [&] { return first.run([] { return forked_fib(8); }); };
    const auto in_second = [&] {
      return second.run([&] { return fg::fork_join(in_first, in_first); });
    };
    EXPECT_EQ(first.run(in_second), (std::pair<std::int64_t, std::int64_t>{21, 21}));
  }
}

TEST_P(arena, runs_crossed_between_two_pools) {
  fg::pool_options options = GetParam().options();
  options.callers = 1;
  fg::pool first{options};
  fg::pool second{options};
  const auto cross = [](fg::pool& outer, fg::pool& inner) {
    for (int round = 0; round < 100; ++round) {
      const auto inside = [&] { return inner.run([] { return forked_fib(6); }); };
      EXPECT_EQ(outer.run([&] { return fg::fork_join(inside, inside); }),
                (std::pair<std::int64_t, std::int64_t>{8, 8}));
    }
  };
  std::thread other{[&] { cross(second, first); }};
  cross(first, second);
  other.join();
}

// Two pools whose tasks get values from each other: a value that no thread has begun to compute is
// computed by the thread that needs it.
TEST_P(arena, gets_values_crossed_between_two_pools) {
  fg::pool first{GetParam().options()};
  fg::pool second{GetParam().options()};
  struct {
    int operator()(fg::pool& here, fg::pool& there, int depth) const {
      if (depth == 0) {
        return 1;
      }
      // NOLINTNEXTLINE(readability-suspicious-call-argument): they change places
      auto one = fg::async(there, [&] { return (*this)(there, here, depth - 1); });
      auto two = fg::async(here, [&] { return (*this)(here, there, depth - 1); });
      return one.get() + two.get();
    }
  } const count;
  EXPECT_EQ(first.run([&] { return count(first, second, 8); }), 256);
}

// Tasks in the queues of a worker that is inside another pool, and waits there for a thread that
// needs them: the worker left with them, and did not return.
class arena_of_somebody_away : public arena {
 protected:
  // Calls `cross(get)` on a worker of one pool that has tasks in its queues, whose values `get`
  // adds.
  template <class Cross>
  static void expect_values(Cross cross) {
    fg::pool first{GetParam().options()};
    for (int round = 0; round < 20; ++round) {
      int sum = 0;
      first.run([&] {
        auto one = fg::async(first, [] { return 1; });
        auto two = fg::async(first, [] { return 2; });
        auto three = fg::async(first, [] { return 3; });
        sum = cross([&] { return one.get() + two.get() + three.get(); });
      });
      EXPECT_EQ(sum, 6);
    }
  }

  // The value of `get`, from another worker of `second` than the calling one if one is available.
  template <class Get>
  static int get_on_another(fg::pool& second, Get get) {
    flag taken;
    const auto wait_a_little = [&] {
      for (int look = 0; look < 1000 && !taken.is_set(); ++look) {
        std::this_thread::yield();
      }
    };
    const auto take = [&] {
      taken.set();
      return get();
    };
    return second.run([&] { return fg::fork_join(wait_a_little, take).second; });
  }

  fg::pool second_{GetParam().options()};
};

INSTANTIATE_TEST_SUITE_P(every_policy, arena_of_somebody_away,
                         testing::ValuesIn(fg::test::pool_settings({1, 2, 3})),
                         fg::test::name_of_pool_setting);

TEST_P(arena_of_somebody_away, runs_what_lies_there_while_it_runs_in_another_pool) {
  expect_values([&](auto get) { return get_on_another(second_, get); });
}

TEST_P(arena_of_somebody_away, runs_what_lies_there_while_it_waits_for_a_value) {
  expect_values([&](auto get) { return fg::async(second_, get).get(); });
}

// Tasks of an outer region remain while the worker isolates itself and runs something in another
// pool: when it returns, it may be the only thread that can run them.
TEST_P(arena, runs_other_pools_isolated_within_a_recursion_of_groups) {
  fg::pool first{GetParam().options()};
  fg::pool second{workers(1)};
  struct {
    void operator()(fg::pool& other, int depth) const {
      if (depth == 0) {
        return;
      }
      fg::task_group group;
      group.spawn([&] { (*this)(other, depth - 1); });
      fg::isolate([&] { other.run([] {}); });
      group.wait();
    }
  } const descend;
  for (int round = 0; round < 20; ++round) {
    first.run([&] { descend(second, 8); });
  }
}

// Tasks of a group in the queue of an absent worker, while their maker is in another pool, and all
// other threads wait for them. The spare one is one of those.
class arena_of_two_threads : public arena {};

INSTANTIATE_TEST_SUITE_P(every_policy, arena_of_two_threads,
                         testing::ValuesIn(fg::test::pool_settings({2, 3})),
                         fg::test::name_of_pool_setting);

TEST_P(arena_of_two_threads, runs_what_it_has_dealt_to_the_absent_when_it_comes_back) {
  fg::pool first{GetParam().options()};
  fg::pool second{workers(1)};
  flag waits;
  auto made = fg::async(first, [&] {
    waits.await();
    fg::task_group group;
    for (int i = 0; i < 3; ++i) {
      group.spawn([] {});
    }
    second.run([] {});
    group.wait();
    return 1;
  });
  auto wanted = fg::async(first, [&] {
    waits.set();
    return made.get();
  });
  EXPECT_EQ(wanted.get(), 1);
}

// In serial mode each call of the recursion used to be appended to the posted tasks, where every
// `get` took the oldest on top of its stack.
TEST_P(arena, gets_values_of_a_deep_recursion) {
  fg::pool_options options = GetParam().options();
  options.help_stack_bytes = 4096;
  fg::pool pool{options};
  struct {
    fg::pool& home;
    int operator()(int n) const {
      if (n < 2) {
        return n;
      }
      auto one = fg::async(home, [&] { return (*this)(n - 1); });
      const int two = (*this)(n - 2);
      return one.get() + two;
    }
  } const fib{pool};
  EXPECT_EQ(pool.run([&] { return fib(26); }), 121393);
}

// A coroutine that is in flight while the pool ends.
struct detached {
  struct promise_type {
    // NOLINTBEGIN(readability-convert-member-functions-to-static): objected to where they are used
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
    // NOLINTEND(readability-convert-member-functions-to-static)
  };
};

detached hop(fg::pool& pool, int hops, fg::atomic<int>& ended) {
  for (; hops > 0; --hops) {
    co_await fg::resume_on(pool);
  }
  ended.fetch_add(1, fg::memory_order_relaxed);
}

TEST_P(arena, runs_coroutines_to_their_end_before_it_ends) {
  for (int round = 0; round < 50; ++round) {
    fg::atomic<int> ended{0};
    {
      fg::pool pool{GetParam().options()};
      for (int coroutine = 0; coroutine < 20; ++coroutine) {
        hop(pool, coroutine, ended);
      }
    }
    EXPECT_EQ(ended.load(), 20);
  }
}

TEST_P(arena, runs_what_posted_tasks_post_before_it_ends) {
  fg::atomic<int> ran{0};
  struct post_more {
    fg::pool& pool;
    fg::atomic<int>& ran;
    int depth;
    void operator()() const {
      ran.fetch_add(1, fg::memory_order_relaxed);
      fg::fork_join([] {}, [] {});
      if (depth > 0) {
        pool.post(post_more{pool, ran, depth - 1});
        pool.post(post_more{pool, ran, depth - 1});
      }
    }
  };
  {
    fg::pool pool{GetParam().options()};
    pool.post(post_more{pool, ran, 7});
  }
  EXPECT_EQ(ran.load(), 255);
}

// As many as there are threads, including the spare one, which run when the end begins.
TEST_P(arena, runs_what_the_last_tasks_post_before_it_ends) {
  const auto threads = static_cast<int>(GetParam().workers);
  for (int round = 0; round < 20; ++round) {
    fg::atomic<int> began{0};
    fg::atomic<int> ran{0};
    {
      fg::pool pool{GetParam().options()};
      for (int each = 0; each < threads; ++each) {
        pool.post([&] {
          began.fetch_add(1, fg::memory_order_relaxed);
          std::this_thread::sleep_for(std::chrono::milliseconds{2});
          pool.post(fg::task_priority::background,
                    [&ran] { ran.fetch_add(1, fg::memory_order_relaxed); });
        });
      }
      while (began.load(fg::memory_order_relaxed) < threads) {
        std::this_thread::yield();
      }
    }
    EXPECT_EQ(ran.load(fg::memory_order_relaxed), threads);
  }
}

// A thread that waits within a task may hold what a posted task needs.
TEST_P(arena, never_runs_a_posted_task_on_a_worker_that_waits) {
  fg::pool pool{GetParam().options()};
  thread_local bool waits = false;
  fg::atomic<int> on_top{0};
  fg::atomic<int> left{0};
  pool.run([&] {
    waits = true;
    for (int round = 0; round < 50; ++round) {
      left.fetch_add(1, fg::memory_order_relaxed);
      pool.post([&] {
        on_top.fetch_add(waits ? 1 : 0, fg::memory_order_relaxed);
        left.fetch_sub(1, fg::memory_order_release);
      });
      EXPECT_EQ(forked_fib(10), 55);
    }
    waits = false;
  });
  while (left.load(fg::memory_order_acquire) != 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(on_top.load(), 0);
}

TEST_P(arena, broadcasts_in_a_run_that_its_threads_make_for_a_stranger) {
  fg::pool_options options = GetParam().options();
  options.callers = 1;
  fg::pool pool{options};
  flag left;
  std::thread stranger;
  pool.run([&] {
    stranger = std::thread{[&] {
      std::vector<int> calls(pool.size());
      fg::broadcast(pool, [&](std::size_t id) { ++calls.at(id); });
      EXPECT_EQ(calls, std::vector<int>(pool.size(), 1));
      left.set();
    }};
    left.await();
  });
  stranger.join();
}

TEST(pool_callers, each_have_a_number_of_their_own) {
  fg::pool pool{workers(2)};
  fg::atomic<int> inside{0};
  std::vector<std::thread> callers;
  callers.reserve(4);
  std::array<std::size_t, 4> numbers{};
  for (std::size_t& number : numbers) {
    callers.emplace_back([&] {
      pool.run([&] {
        number = fg::worker::current()->id();
        inside.fetch_add(1, fg::memory_order_relaxed);
        while (inside.load(fg::memory_order_relaxed) != 4) {
          std::this_thread::yield();
        }
      });
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::array<std::size_t, 4>{0, 3, 4, 5}));
  EXPECT_EQ(pool.callers(), 4U);
  EXPECT_EQ(pool.numbers(), 6U);
}

TEST(pool_callers, are_refused_in_absurd_numbers) {
  fg::pool_options options = workers(1);
  options.callers = 0;
  EXPECT_THROW(fg::pool{options}, std::invalid_argument);
  options.callers = fg::pool_options::kMostCallers + 1;
  EXPECT_THROW(fg::pool{options}, std::invalid_argument);
}

TEST(spare_thread, is_made_when_it_is_first_needed) {
  fg::pool_options options = workers(1);
  options.thread_name = "lone";
  fg::pool pool{options};
  EXPECT_EQ(pool.run([] { return forked_fib(12); }), 144);
  EXPECT_EQ(fg::test::names_of_threads("lone"), std::vector<std::string>{});
  flag ran;
  pool.post([&] { ran.set(); });
  ran.await();
  EXPECT_EQ(fg::test::names_of_threads("lone"), std::vector<std::string>{"lone-spare"});
}

TEST(spare_thread, forks_as_a_worker_does) {
  fg::pool pool{workers(1)};
  flag ran;
  std::size_t number = 0;
  pool.post([&] {
    EXPECT_EQ(forked_fib(12), 144);
    number = fg::worker::current()->id();
    ran.set();
  });
  ran.await();
  EXPECT_EQ(number, 1U);
}

}  // namespace
