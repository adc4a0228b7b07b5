// Ticks come when they should, and answers to them are counted, checked and timed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/periodic/answers.hpp"
#include "programs/periodic/ticks.hpp"
#include "support/on_thread.hpp"

namespace {

using fg::bench::periodic_answers;
using fg::bench::periodic_plan;
using fg::bench::periodic_result;
using fg::bench::tick_schedule;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

std::vector<nanoseconds> ticks_of(nanoseconds period, double jitter, std::uint64_t seed) {
  tick_schedule schedule{period, jitter, seed};
  std::vector<nanoseconds> ticks(1000);
  std::ranges::generate(ticks, [&] { return schedule.next(); });
  return ticks;
}

TEST(tick_schedule, without_jitter_ticks_are_whole_periods) {
  const std::vector<nanoseconds> ticks = ticks_of(microseconds{500}, 0, 1);
  for (std::size_t n = 0; n < ticks.size(); ++n) {
    ASSERT_EQ(ticks[n], microseconds{500} * static_cast<std::int64_t>(n + 1));
  }
}

TEST(tick_schedule, jitter_is_of_each_tick_by_itself_and_uniform) {
  const std::vector<nanoseconds> ticks = ticks_of(microseconds{500}, 0.2, 1);
  int early = 0;
  nanoseconds least{0};
  nanoseconds most{0};
  for (std::size_t n = 0; n < ticks.size(); ++n) {
    const nanoseconds offset = ticks[n] - microseconds{500} * static_cast<std::int64_t>(n + 1);
    least = std::min(least, offset);
    most = std::max(most, offset);
    early += static_cast<int>(offset < nanoseconds{0});
  }
  EXPECT_GE(least, microseconds{-100});
  EXPECT_LT(least, microseconds{-98});
  EXPECT_LE(most, microseconds{100});
  EXPECT_GT(most, microseconds{98});
  EXPECT_NEAR(early, 500, 60);
}

TEST(tick_schedule, a_seed_repeats_its_ticks) {
  EXPECT_EQ(ticks_of(microseconds{500}, 0.2, 7), ticks_of(microseconds{500}, 0.2, 7));
  EXPECT_NE(ticks_of(microseconds{500}, 0.2, 7), ticks_of(microseconds{500}, 0.2, 8));
  EXPECT_TRUE(std::ranges::is_sorted(ticks_of(microseconds{500}, 0.49, 7)));
}

TEST(sleep_until, sleeps_until_then_and_not_at_all_if_that_has_passed) {
  using clock = std::chrono::steady_clock;
  const clock::time_point then = clock::now() + microseconds{2000};
  fg::bench::sleep_until(then);
  EXPECT_GE(clock::now(), then);
  fg::bench::sleep_until(then - std::chrono::hours{1});
}

// Both halves on the calling thread.
struct here {
  template <class Task, class Own>
  void operator()(Task&& task, Own&& own) {
    task();
    own();
  }
};

// The task on a thread of its own.
struct there {
  template <class Task, class Own>
  void operator()(Task&& task, Own&& own) {
    std::thread other{[&task] { task(); }};
    own();
    other.join();
  }
};

// Runs the task so many times in the Nth call, and once in all others.
struct faulty {
  int call = 0;
  int times = 0;
  int calls = 0;

  template <class Task, class Own>
  void operator()(Task&& task, Own&& own) {
    own();
    const int runs = ++calls == call ? times : 1;
    for (int i = 0; i < runs; ++i) {
      task();
    }
  }
};

constexpr periodic_plan kPlan{.period = microseconds{100},
                              .jitter = 0.2,
                              .half_steps = 100,
                              .answers = 50,
                              .warmup = 5,
                              .seed = 3,
                              .cpus = {}};
constexpr int kChecked = 16;  // answers ahead of the ticks

// On a thread of its own, which keeps the timer slack that it gets.
template <class ForkJoin>
periodic_result measured(ForkJoin pair, const periodic_plan& plan = kPlan) {
  periodic_answers answers{plan};
  fg::test::on_thread([&] { answers.measure(pair); });
  return answers.result();
}

TEST(periodic_answers, every_answer_is_timed) {
  const periodic_result result = measured(here{});
  EXPECT_EQ(result.ns.size(), 50U);
  EXPECT_GT(result.work_ns, 0.0);
  EXPECT_TRUE(std::ranges::all_of(result.ns, [](std::int64_t ns) { return ns > 0; }));
  EXPECT_EQ(result.task_cpus.size(), 1U);
}

TEST(periodic_answers, tasks_on_another_thread_are_elsewhere) {
  EXPECT_EQ(measured(here{}).elsewhere, 0.0);
  EXPECT_EQ(measured(there{}).elsewhere, 1.0);
}

TEST(periodic_answers, a_task_that_does_not_run_exactly_once_is_a_wrong_result) {
  for (const int call : {1, kChecked, kChecked + 1, kChecked + 5 + 50}) {
    for (const int times : {0, 2}) {
      periodic_answers answers{kPlan};
      faulty pair{.call = call, .times = times};
      bool is_wrong = false;
      fg::test::on_thread([&] {
        try {
          answers.measure(pair);
        } catch (const fg::bench::wrong_result&) {
          is_wrong = true;
        }
      });
      EXPECT_TRUE(is_wrong) << times << " runs in call " << call;
    }
  }
}

// Takes three and a half periods for each answer, all of it asleep, and notes when ticks came.
struct slow : here {
  std::vector<std::chrono::steady_clock::time_point>* came = nullptr;

  void tick_came() const { came->push_back(std::chrono::steady_clock::now()); }
  void answer_ended() const {}
  template <class Task, class Own>
  void operator()(Task&& task, Own&& own) {
    here::operator()(task, own);
    std::this_thread::sleep_for(microseconds{7000});
  }
};

TEST(periodic_answers, an_answer_that_ends_after_the_next_tick_is_missed_and_skips_what_passed) {
  periodic_plan plan = kPlan;
  plan.period = microseconds{2000};
  plan.jitter = 0;
  plan.answers = 10;
  plan.warmup = 0;
  std::vector<std::chrono::steady_clock::time_point> came;
  slow pair;
  pair.came = &came;
  EXPECT_EQ(measured(pair, plan).missed, 10U);
  // Each answer begins at a tick, four periods after the one before and not three and a half; only
  // the first can have begun late.
  ASSERT_EQ(came.size(), 10U);
  EXPECT_GE(came.back() - came.front(), microseconds{9 * 8000 - 2000});
}

TEST(periodic_answers, an_answer_in_time_is_not_missed) {
  periodic_plan plan = kPlan;
  plan.period = microseconds{20'000};
  plan.answers = 5;
  EXPECT_LT(measured(here{}, plan).missed, 5U);  // a busy host may delay some
}

TEST(periodic_answers, what_sleeps_burns_nothing_and_what_spins_burns_a_cpu) {
  periodic_plan plan = kPlan;
  plan.period = microseconds{5000};
  plan.answers = 40;
  EXPECT_LT(measured(here{}, plan).burned_share, 0.5);
  fg::atomic<bool> leave{false};
  std::thread spinning{[&leave] {
    while (!leave.load(fg::memory_order_relaxed)) {  // passes no data
    }
  }};
  const double burned = measured(here{}, plan).burned_share;
  leave.store(true, fg::memory_order_relaxed);
  spinning.join();
  EXPECT_GT(burned, 0.1);  // 1, and less where other tests take its CPU
}

struct calls_of_hints : here {
  std::vector<char>* calls = nullptr;

  void tick_came() const { calls->push_back('<'); }
  void answer_ended() const { calls->push_back('>'); }
};

TEST(periodic_answers, a_runtime_that_wants_to_know_is_told_of_each_tick_and_answer) {
  std::vector<char> calls;
  calls_of_hints pair;
  pair.calls = &calls;
  measured(pair);
  ASSERT_EQ(calls.size(), 2U * 55);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ASSERT_EQ(calls[i], i % 2 == 0 ? '<' : '>');
  }
}

}  // namespace
