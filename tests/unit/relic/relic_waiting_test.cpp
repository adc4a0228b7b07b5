// Sleeping and waking, by policy, budget and hint, and the counters for them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/wait.hpp"

namespace {

using namespace std::chrono_literals;

template <class Relic>
bool falls_asleep(const Relic& relic, std::chrono::seconds within = 60s) {
  const auto until = std::chrono::steady_clock::now() + within;
  while (!relic.is_asleep()) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

template <class Relic>
void run_one_task(Relic& relic) {
  bool ran = false;
  relic.submit([&ran] { ran = true; });
  relic.wait();
  EXPECT_TRUE(ran);
}

// ---- what holds with every policy that this processor supports ----

template <class Policy>
class relic_policy : public testing::Test {};

using policies = testing::Types<fg::spin, fg::spin_pause, fg::spin_then_sleep>;

class policy_names {
 public:
  template <class Policy>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's name
    return Policy::kName;
  }
};

TYPED_TEST_SUITE(relic_policy, policies, policy_names);

TYPED_TEST(relic_policy, runs_bursts_in_order) {
  fg::basic_relic<TypeParam> relic;
  int next = 0;
  bool in_order = true;
  for (int burst = 0; burst < 200; ++burst) {
    for (int i = 0; i < burst; ++i) {
      relic.submit([&, i] {
        in_order = in_order && i == next;
        ++next;
      });
    }
    relic.wait();
    ASSERT_EQ(next, burst);
    next = 0;
  }
  EXPECT_TRUE(in_order);
}

TYPED_TEST(relic_policy, sleeps_after_the_hint_and_wakes_for_a_task) {
  fg::basic_relic<TypeParam> relic;
  for (int round = 0; round < 5; ++round) {
    run_one_task(relic);
    relic.sleep_hint();
    ASSERT_TRUE(falls_asleep(relic));
    std::this_thread::sleep_for(20ms);  // from "about to sleep" to asleep
  }
  EXPECT_GE(relic.counters().sleeps, 3U);
  // More if the main thread was preempted, and the assistant slept in between, too.
  EXPECT_GE(relic.counters().wake_ups, 4U);
}

TYPED_TEST(relic_policy, a_task_takes_the_sleep_hint_back) {
  fg::basic_relic<TypeParam> relic{{.spin_budget = 1h}};
  for (int round = 0; round < 20; ++round) {
    relic.sleep_hint();
    run_one_task(relic);
  }
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(relic.is_asleep());
}

// ---- policies ----

TEST(relic_waiting, spinning_policies_never_sleep_by_themselves) {
  const fg::basic_relic<fg::spin_pause> pausing{{.spin_budget = 1us}};
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(pausing.is_asleep());
  EXPECT_EQ(pausing.counters().sleeps, 0U);
}

TEST(relic_waiting, the_default_policy_sleeps_when_its_budget_is_spent) {
  fg::relic relic{{.spin_budget = 1ms}};
  for (int round = 0; round < 3; ++round) {
    run_one_task(relic);
    ASSERT_TRUE(falls_asleep(relic));
  }
}

TEST(relic_waiting, and_not_before) {
  fg::relic relic{{.spin_budget = 1h}};
  run_one_task(relic);
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(relic.is_asleep());
}

// ---- hints ----

TEST(relic_waiting, a_wake_up_hint_keeps_it_awake_until_the_sleep_hint) {
  fg::relic relic{{.spin_budget = 1us, .hinted_budget = 1h}};
  ASSERT_TRUE(falls_asleep(relic));
  relic.wake_up_hint();
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(relic.is_asleep());
    run_one_task(relic);
  }
  relic.sleep_hint();
  EXPECT_TRUE(falls_asleep(relic));
}

TEST(relic_waiting, or_until_its_limit) {
  fg::relic relic{{.spin_budget = 1us, .hinted_budget = 2ms}};
  for (int round = 0; round < 3; ++round) {
    relic.wake_up_hint();
    ASSERT_TRUE(falls_asleep(relic));
  }
  run_one_task(relic);  // the limit is spent: from here on the budget counts again
  ASSERT_TRUE(falls_asleep(relic));
}

// ---- counters ----

TEST(relic_waiting, counts_its_tasks_and_its_time) {
  fg::relic relic{{.main_helps = false}};  // on a busy machine the assistant comes late
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  for (int task = 0; task < 10; ++task) {
    relic.submit([] {
      const std::uint64_t until = fg::ticks() + fg::to_ticks(2ms);
      while (fg::ticks() < until) {
      }
    });
  }
  relic.wait();
  EXPECT_EQ(relic.counters().tasks, 10U);
  EXPECT_EQ(relic.counters().tasks_inlined, 0U);
  // Pre-emption takes from the 20 ms; the hand-off and the start add to them.
  EXPECT_GT(relic.counters().worked_ns, 1'000'000U);
}

TEST(relic_waiting, tells_spinning_from_working) {
  fg::relic relic{{.spin_budget = 1h}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  run_one_task(relic);
  const fg::relic_counters before = relic.counters();
  std::this_thread::sleep_for(100ms);
  run_one_task(relic);  // so that the polls until now are counted
  const fg::relic_counters after = relic.counters();
  // Signed: the time worked is the rest of the CPU time, and the time spun is an estimate.
  const auto growth = [](std::uint64_t now, std::uint64_t then) {
    return static_cast<std::int64_t>(now - then);
  };
  EXPECT_GT(growth(after.spun_ns, before.spun_ns), growth(after.worked_ns, before.worked_ns));
}

TEST(relic_waiting, an_idle_relic_uses_no_cpu) {
  fg::relic relic;
  run_one_task(relic);
  ASSERT_TRUE(falls_asleep(relic));
  const auto cpu_ns = [&relic] {
    const fg::relic_counters counters = relic.counters();
    return counters.worked_ns + counters.spun_ns;
  };
  std::this_thread::sleep_for(10ms);  // from "about to sleep" to asleep
  const std::uint64_t before = cpu_ns();
  std::this_thread::sleep_for(500ms);
  EXPECT_LE(cpu_ns() - before, 500'000U) << "0.1 % of 500 ms";
}

// ---- processors without the instructions ----

#if defined(__x86_64__)
template <class Policy>
void expect_a_clear_error_or_service() {
  if (Policy::supported()) {
    fg::basic_relic<Policy> relic;
    run_one_task(relic);
    return;
  }
  try {
    const fg::basic_relic<Policy> relic;
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string{error.what()},
              std::string{"relic: this processor does not have "} + Policy::kName);
  }
}

TEST(relic_waiting, refuses_umwait_where_there_is_none) {
  expect_a_clear_error_or_service<fg::umwait>();
}
TEST(relic_waiting, refuses_mwaitx_where_there_is_none) {
  expect_a_clear_error_or_service<fg::mwaitx>();
}
#endif

}  // namespace
