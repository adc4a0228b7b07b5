// The main thread runs what a sleeping or waking assistant has not begun.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/futex.hpp"
#include "support/child_process.hpp"

namespace {

// Waits until the assistant sleeps, and then until it has given its role up.
template <class Relic>
bool falls_asleep(Relic& relic) {
  relic.sleep_hint();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!relic.is_asleep()) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{10});
  return true;
}

// Calls `body(relic)` with a sleeping assistant, until the main thread has run `tasks` tasks, or
// more, within a call: a waking assistant may be faster. True if that has happened.
template <class Body>
bool main_runs(std::uint64_t tasks, Body&& body) {
  fg::relic relic;
  EXPECT_FALSE(relic.inline_mode()) << relic.inline_reason();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (std::chrono::steady_clock::now() < until) {
    EXPECT_TRUE(falls_asleep(relic));
    const std::uint64_t before = relic.counters().tasks_inlined;
    body(relic);
    if (relic.counters().tasks_inlined - before >= tasks) {
      return true;
    }
  }
  return false;
}

TEST(main_helps, runs_the_tasks_in_order) {
  EXPECT_TRUE(main_runs(10, [](fg::relic& relic) {
    std::vector<int> order;
    for (int i = 0; i < 10; ++i) {
      relic.submit([&order, i] { order.push_back(i); });
    }
    relic.wait();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }));
}

TEST(main_helps, in_tasks_of_the_relic) {
  EXPECT_TRUE(main_runs(1, [](fg::relic& relic) {
    bool within = false;
    relic.submit([&] { within = relic.called_by_task(); });
    relic.wait();
    EXPECT_TRUE(within);
    EXPECT_FALSE(relic.called_by_task());
  }));
}

TEST(main_helps, with_results_and_exceptions) {
  EXPECT_TRUE(main_runs(3, [](fg::relic& relic) {
    int assigned = 0;
    auto returns = relic.fork([] { return 1; });
    relic.submit_into(assigned, [] { return 2; });
    relic.submit([] { throw std::runtime_error{"from a task"}; });
    EXPECT_EQ(returns.get(), 1);
    EXPECT_THROW(relic.wait(), std::runtime_error);
    EXPECT_EQ(assigned, 2);
  }));
}

// Not with later ones, which may be long.
TEST(main_helps, with_no_more_tasks_than_it_waits_for) {
  EXPECT_TRUE(main_runs(1, [](fg::relic& relic) {
    const std::uint64_t before = relic.counters().tasks_inlined;
    auto first = relic.fork([] { return 1; });
    for (int i = 0; i < 20; ++i) {
      relic.submit([] {});
    }
    EXPECT_EQ(first.get(), 1);
    EXPECT_LE(relic.counters().tasks_inlined - before, 1U);
    relic.wait();
  }));
}

// The algorithms, called within a task that the main thread runs, do not hand over to the assistant,
// which waits for that task.
TEST(main_helps, where_tasks_call_algorithms) {
  EXPECT_TRUE(main_runs(3, [](fg::relic& relic) {
    int sum = 0;
    relic.submit([&] {
      for (const fg::offload mode : {fg::offload::always, fg::offload::adaptive}) {
        fg::fork_join(relic, [&] { ++sum; }, [&] { ++sum; }, mode);
        fg::parallel_for(relic, 0, 10, [&](int) { ++sum; }, {.mode = mode});
      }
    });
    relic.wait();
    EXPECT_EQ(sum, 24);
  }));
}

TEST(main_helps, not_if_the_option_says_so) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(falls_asleep(relic));
    std::thread::id ran_on;
    relic.submit([&ran_on] { ran_on = std::this_thread::get_id(); });
    relic.wait();
    EXPECT_NE(ran_on, std::this_thread::get_id());
  }
  EXPECT_EQ(relic.counters().tasks_inlined, 0U);
}

TEST(main_helps, where_a_task_forks_the_process) {
  FINEGRAIN_TEST_NEEDS_FORK;
  EXPECT_TRUE(main_runs(3, [](fg::relic& relic) {
    int result = -1;
    int later = 0;
    relic.submit(
        [&] { result = fg::test::in_child([&relic] { return relic.called_by_task() ? 0 : 1; }); });
    relic.submit([&later] { ++later; });
    auto latest = relic.fork([] { return 5; });
    relic.wait();
    EXPECT_EQ(result, 0);
    EXPECT_EQ(later, 1);
    EXPECT_EQ(latest.get(), 5);
  }));
}

#if defined(__unix__) || defined(__APPLE__)

// The child goes on behind the task: later tasks finish in the parent only.
TEST(main_helps, where_a_forked_child_returns_from_its_task) {
  bool was_seen = false;
  EXPECT_TRUE(main_runs(1, [&was_seen](fg::relic& relic) {
    pid_t child = -1;
    int later = 0;
    auto forks = relic.fork([&] { child = relic.called_by_main() ? fork() : -1; });
    auto latest = relic.fork([&later] { return ++later; });
    forks.get();
    if (child == 0) {
      alarm(60);
      bool told = false;
      try {
        latest.get();
      } catch (const std::runtime_error&) {
        told = true;
      }
      relic.submit([&later] { later += 10; });
      relic.submit([] {});
      try {
        relic.wait();
      } catch (const std::runtime_error&) {
      }
      _exit(told && later == 10 && relic.inline_mode() ? 0 : 1);
    }
    EXPECT_EQ(latest.get(), 1);
    if (child > 0) {
      was_seen = true;
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  }));
  EXPECT_TRUE(was_seen);
}

#endif

// Gives short tasks to an assistant that sleeps between them until the main thread runs one for it
// without having woken it. True if that has happened.
bool leaves_it_asleep(fg::relic& relic) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds{3});
    const fg::relic_counters before = relic.counters();
    bool ran = false;
    relic.submit([&ran] { ran = true; });
    relic.wait();
    EXPECT_TRUE(ran);
    const fg::relic_counters after = relic.counters();
    if (after.tasks_inlined != before.tasks_inlined && after.wake_ups == before.wake_ups) {
      return true;
    }
  }
  return false;
}

// Where nothing sleeps for a limited time no assistant dozes: it is woken for each task.
bool is_woken_each_time(fg::relic& relic) {
  for (int round = 0; round < 10; ++round) {
    EXPECT_TRUE(falls_asleep(relic));
    const std::uint64_t before = relic.counters().wake_ups;
    relic.submit([] {});
    relic.wait();
    if (relic.counters().wake_ups != before + 1) {
      return false;
    }
  }
  return true;
}

// The assistant sleeps and, where it can, dozes.
bool rests(fg::relic& relic) {
  return fg::detail::futex::kSleepsForATime ? leaves_it_asleep(relic) : falls_asleep(relic);
}

TEST(resting_assistant, is_left_asleep_only_where_it_dozes) {
  fg::relic relic;
  EXPECT_TRUE(fg::detail::futex::kSleepsForATime ? leaves_it_asleep(relic)
                                                 : is_woken_each_time(relic));
}

// The assistant looks by itself.
TEST(resting_assistant, runs_what_nobody_waits_for_all_the_same) {
  fg::relic relic;
  ASSERT_TRUE(rests(relic));
  for (int i = 0; i != 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{i % 3});
    fg::atomic<bool> ran{false};
    relic.submit([&ran] { ran = true; });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!ran && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(ran);
    relic.wait();
  }
}

TEST(resting_assistant, ends_with_a_task_that_was_left_to_it) {
  int ran = 0;
  {
    fg::relic relic;
    ASSERT_TRUE(rests(relic));
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    relic.submit([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1);
}

}  // namespace
