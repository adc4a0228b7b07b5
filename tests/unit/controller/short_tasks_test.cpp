// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/short_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/pool/worker.hpp"

namespace {

using fg::detail::short_tasks;

void time_some(short_tasks& tasks, int count, double length) {
  for (int i = 0; i != count; ++i) {
    tasks.timed(static_cast<std::uint64_t>(1000 * length), 1000);
  }
}

short_tasks known_short() {
  short_tasks tasks;
  time_some(tasks, 30, 0.3);
  return tasks;
}

TEST(short_tasks, are_not_until_some_were_timed) {
  short_tasks tasks;
  time_some(tasks, 3, 0.3);
  EXPECT_FALSE(tasks.are_short());
  time_some(tasks, 1, 0.3);
  EXPECT_TRUE(tasks.are_short());
}

TEST(short_tasks, are_not_where_a_steal_is_worth_it) {
  short_tasks tasks;
  time_some(tasks, 1000, 1.1);
  EXPECT_FALSE(tasks.are_short());
}

TEST(short_tasks, remain_so_after_one_interrupted_task) {
  short_tasks tasks = known_short();
  time_some(tasks, 1, 1000);
  EXPECT_TRUE(tasks.are_short());
}

TEST(short_tasks, are_not_any_more_after_two_long_ones) {
  short_tasks tasks = known_short();
  time_some(tasks, 2, 1000);
  EXPECT_FALSE(tasks.are_short());
}

TEST(short_tasks, are_not_where_one_of_five_is_long) {
  short_tasks tasks = known_short();
  int long_rounds = 0;
  for (int round = 0; round < 100; ++round) {
    time_some(tasks, 4, 0.3);
    time_some(tasks, 1, 100);
    long_rounds += tasks.are_short() ? 0 : 1;
  }
  EXPECT_GT(long_rounds, 90);
}

TEST(short_tasks, need_a_row_twice_as_long_after_each_mistake) {
  short_tasks tasks = known_short();
  for (const int needed : {8, 16, 32, 64, 128, 256, 512, 1024, 1024}) {
    tasks.were_long();
    time_some(tasks, needed - 1, 0.3);
    EXPECT_FALSE(tasks.are_short()) << needed;
    time_some(tasks, 1, 0.3);
    EXPECT_TRUE(tasks.are_short()) << needed;
  }
}

// Each use of the test has a type of closure of its own, and so a place of its own.
template <int Place>
struct set_flag {
  std::atomic<bool>* flag;
  void operator()() const { flag->store(true); }
};

template <int Place>
void make_short() {
  time_some(fg::detail::short_tasks_of<set_flag<Place>>(), 30, 0.1);
}

// Once the other worker has asked for tasks, which it does while it has a CPU.
TEST(short_tasks_of_groups, are_reserved) {
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    fg::worker& self = *fg::worker::current();
    bool any_reserved = false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!any_reserved && std::chrono::steady_clock::now() < end) {
      make_short<1>();
      std::atomic<bool> flag{false};
      fg::task_group group;
      group.spawn(set_flag<1>{&flag});
      any_reserved = self.deque().has_reserved();
    }
    EXPECT_TRUE(any_reserved);
  });
}

// Calls groups whose owner waits for the oldest task to be run elsewhere, which is reserved.
template <int Place>
void wait_for_others(int calls, std::chrono::milliseconds between) {
  fg::pool pool{{.workers = 2}};
  pool.run([calls, between] {
    for (int call = 0; call < calls; ++call) {
      make_short<Place>();
      std::this_thread::sleep_for(between);
      std::atomic<bool> oldest{false};
      std::atomic<bool> newest{false};
      fg::task_group group;
      group.spawn(set_flag<Place>{&oldest});
      group.spawn(set_flag<Place>{&newest});
      while (!oldest.load()) {
        std::this_thread::yield();
      }
    }
  });
}

TEST(short_tasks_of_groups, are_run_elsewhere_while_the_owner_is_busy) {
  wait_for_others<2>(100, std::chrono::milliseconds{0});
}

TEST(short_tasks_of_groups, are_run_by_a_sleeper_while_the_owner_is_busy) {
  wait_for_others<3>(20, std::chrono::milliseconds{1});
}

// After a group that was reserved a long task of another place is not.
TEST(short_tasks_of_groups, keep_no_long_one_from_others) {
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    fg::worker& self = *fg::worker::current();
    for (int call = 0; call < 100; ++call) {
      make_short<4>();
      time_some(fg::detail::short_tasks_of<set_flag<5>>(), 30, 2);
      std::atomic<bool> flag{false};
      fg::task_group group;
      group.spawn(set_flag<4>{&flag});
      group.spawn(set_flag<5>{&flag});
      ASSERT_FALSE(self.deque().has_reserved());
      group.wait();
      ASSERT_TRUE(flag.load());
    }
  });
}

}  // namespace
