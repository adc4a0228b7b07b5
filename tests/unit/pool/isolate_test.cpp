// What a worker runs while it waits.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/isolate.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/busy.hpp"
#include "support/forked_fib.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::forked_fib;
using fg::test::workers;

class isolate : public testing::TestWithParam<fg::test::pool_setting> {};

INSTANTIATE_TEST_SUITE_P(every_policy, isolate,
                         testing::ValuesIn(fg::test::pool_settings({1, 2, 3})),
                         fg::test::name_of_pool_setting);

// Taken by tasks that wait while they hold it. A std::mutex would hang where this one counts.
class watched_lock {
 public:
  // False: the calling thread already holds it, in an outer frame.
  bool try_take() {
    if (held_here() == this) {
      return false;
    }
    mutex_.lock();
    held_here() = this;
    return true;
  }
  void give_back() {
    held_here() = nullptr;
    mutex_.unlock();
  }

 private:
  // The lock that the calling thread holds.
  static watched_lock*& held_here() {
    static thread_local watched_lock* held = nullptr;
    return held;
  }

  std::mutex mutex_;
};

// Tasks that each wait for others while they hold the lock.
template <class Wait>
int times_taken_on_top(fg::pool& pool, Wait wait_for) {
  watched_lock lock;
  fg::atomic<int> on_top{0};
  pool.run([&] {
    fg::task_group group;
    for (int task = 0; task < 60; ++task) {
      group.spawn([&] {
        if (!lock.try_take()) {
          on_top.fetch_add(1, fg::memory_order_relaxed);
          return;
        }
        wait_for([] { EXPECT_EQ(forked_fib(8), 21); });
        lock.give_back();
      });
    }
    group.wait();
  });
  return on_top.load();
}

TEST_P(isolate, keeps_a_wait_from_tasks_that_want_the_lock_which_it_holds) {
  fg::pool pool{GetParam().options()};
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(times_taken_on_top(pool, [](auto work) { fg::isolate(work); }), 0);
  }
}

TEST_P(isolate, nests) {
  fg::pool pool{GetParam().options()};
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(
        times_taken_on_top(pool,
                           [](auto work) {
                             fg::isolate([&] { fg::fork_join([&] { fg::isolate(work); }, work); });
                           }),
        0);
  }
}

TEST_P(isolate, passes_on_what_is_returned_and_thrown) {
  fg::pool pool{GetParam().options()};
  int place = 0;
  EXPECT_EQ(&fg::isolate([&]() -> int& { return place; }), &place);  // outside of a pool
  pool.run([&] {
    EXPECT_EQ(&fg::isolate([&]() -> int& { return place; }), &place);
    EXPECT_THROW(fg::isolate([] { throw std::runtime_error{"thrown"}; }), std::runtime_error);
    EXPECT_EQ(fg::isolate([] { return forked_fib(12); }), 144);
  });
}

// Also tasks that are spawned inside, and waited for outside.
TEST_P(isolate, loses_nothing) {
  fg::pool pool{GetParam().options()};
  fg::atomic<int> ran{0};
  const auto count = [&ran] { ran.fetch_add(1, fg::memory_order_relaxed); };
  pool.run([&] {
    fg::task_group outside;
    for (int round = 0; round < 50; ++round) {
      outside.spawn(count);
      outside.spawn(count);
      fg::isolate([&] {
        outside.spawn(count);
        fg::task_group inside;
        inside.spawn(count);
        inside.spawn([&] { fg::isolate([&] { outside.spawn(count); }); });
        inside.wait();
        outside.spawn(count);
      });
    }
    outside.wait();
  });
  EXPECT_EQ(ran.load(), 300);
}

// Tasks spawned before remain available to others, also beyond the public ones.
TEST(isolate_private_deque, leaves_older_tasks_to_other_workers) {
  fg::pool pool{workers(2)};
  fg::atomic<int> ran{0};
  pool.run([&] {
    fg::task_group group;
    for (int task = 0; task < 100; ++task) {
      group.spawn([&ran] { ran.fetch_add(1, fg::memory_order_relaxed); });
    }
    fg::isolate([&] {
      while (ran.load(fg::memory_order_relaxed) != 100) {
        EXPECT_EQ(forked_fib(5), 5);  // where it answers
      }
    });
    group.wait();
  });
}

// A wait takes no task of another call of run: that may hold a lock that the task needs.
TEST(regions, of_two_callers_do_not_mix_in_waits) {
  fg::pool pool{workers(3)};
  thread_local int inside = 0;
  fg::atomic<int> mixed{0};
  const auto call = [&](int number) {
    const auto task = [&, number] {
      const int before = inside;
      if (before != 0 && before != number) {
        mixed.fetch_add(1, fg::memory_order_relaxed);
      }
      inside = number;
      EXPECT_EQ(forked_fib(8), 21);
      inside = before;
    };
    for (int round = 0; round < 200; ++round) {
      pool.run([&] {
        fg::task_group group;
        for (int each = 0; each < 20; ++each) {
          group.spawn(task);
        }
        group.wait();
      });
    }
  };
  std::thread first{[&] { call(1); }};
  std::thread second{[&] { call(2); }};
  first.join();
  second.join();
  EXPECT_EQ(mixed.load(), 0);
}

}  // namespace
