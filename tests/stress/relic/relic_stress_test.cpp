// Very many tasks; checks that each runs exactly once and in order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/one_cpu.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr std::uint64_t kRelicSeed = 20240603;

// Counts tasks that arrive in the order of their numbers; a lost, doubled or swapped one stops it.
struct ordered_count {
  std::uint64_t next = 0;
  std::uint64_t out_of_order = 0;

  void run(std::uint64_t number) {
    out_of_order += static_cast<std::uint64_t>(number != next);
    ++next;
  }
};

// Submits `tasks` in bursts of 1 to 200, so also more than the queue of 128, and waits after each.
void submit_in_bursts(fg::relic& relic, std::uint64_t tasks) {
  std::mt19937_64 random{kRelicSeed};
  std::uniform_int_distribution<std::uint64_t> burst_length{1, 200};
  ordered_count count;
  for (std::uint64_t submitted = 0; submitted < tasks;) {
    const std::uint64_t end = std::min(tasks, submitted + burst_length(random));
    for (; submitted < end; ++submitted) {
      relic.submit([&count, submitted] { count.run(submitted); });
    }
    relic.wait();
    ASSERT_EQ(count.next, end);
  }
  EXPECT_EQ(count.out_of_order, 0U);
  EXPECT_EQ(count.next, tasks);
}

TEST(relic_stress, bursts_on_two_cpus) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  submit_in_bursts(relic, fg::test::kSlow ? 1'000'000 : 100'000'000);
}

// Every hand-off needs the scheduler here: spin_wait's yield must make progress.
TEST(relic_stress, bursts_with_both_threads_on_one_cpu) {
  fg::test::with_relic_on_one_cpu(
      [](fg::relic& relic) { submit_in_bursts(relic, fg::test::kSlow ? 100'000 : 3'000'000); });
}

TEST(relic_stress, never_waiting_in_between) {
  fg::relic relic;
  ordered_count count;
  const std::uint64_t tasks = fg::test::kSlow ? 500'000 : 20'000'000;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    relic.submit([&count, i] { count.run(i); });
  }
  relic.wait();
  EXPECT_EQ(count.next, tasks);
  EXPECT_EQ(count.out_of_order, 0U);
}

// All calls in random order; sleeping and waking must lose nothing and hang nowhere.
void call_at_random(const fg::relic_options& options) {
  std::mt19937_64 random{kRelicSeed};
  fg::relic relic{options};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  ordered_count count;
  std::uint64_t submitted = 0;
  const int calls = fg::test::kSlow ? 100'000 : 1'000'000;
  for (int call = 0; call < calls; ++call) {
    switch (random() % 16) {
      case 0:
        relic.sleep_hint();
        break;
      case 1:
        relic.wake_up_hint();
        break;
      case 2:
        relic.wait();
        ASSERT_EQ(count.next, submitted);
        break;
      case 3:
        for (std::uint64_t i = random() % 4096; i != 0; --i) {
          fg::pause();
        }
        break;
      case 4:
      case 5:
      case 6:
        submitted += static_cast<std::uint64_t>(
            relic.try_submit([&count, submitted] { count.run(submitted); }));
        break;
      default:
        relic.submit([&count, submitted] { count.run(submitted); });
        ++submitted;
    }
  }
  relic.wait();
  EXPECT_EQ(count.next, submitted);
  EXPECT_EQ(count.out_of_order, 0U);
}

TEST(relic_stress, random_calls_with_hints) { call_at_random({}); }

// The assistant sleeps whenever it finds nothing at a clock read, and after each hint, too.
TEST(relic_stress, random_calls_without_a_spin_budget) {
  using std::chrono::microseconds;
  call_at_random({.spin_budget = microseconds{0}, .hinted_budget = microseconds{1}});
}

// Short branches, long ones, and pauses that put the assistant to sleep: the states of controller
// and sleeping in all combinations.
TEST(relic_stress, adaptive_fork_joins_of_changing_length) {
  fg::relic relic{{.spin_budget = std::chrono::microseconds{20}}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  std::mt19937_64 random{kRelicSeed};
  std::uint64_t f_ran = 0;
  std::uint64_t g_ran = 0;
  const auto work = [](std::uint64_t pauses, std::uint64_t& ran) {
    for (; pauses != 0; --pauses) {
      fg::pause();
    }
    ++ran;
  };
  const std::uint64_t phases = fg::test::kSlow ? 100 : 1000;
  std::uint64_t calls = 0;
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    const std::uint64_t length = std::uint64_t{1} << (random() % 9);
    for (std::uint64_t call = random() % 500; call != 0; --call) {
      fg::fork_join(
          relic, [&, length] { work(length, f_ran); }, [&, length] { work(length, g_ran); });
      ++calls;
      ASSERT_EQ(f_ran, calls);
      ASSERT_EQ(g_ran, calls);
    }
    if (random() % 4 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds{random() % 300});
    }
  }
}

// The main thread's writes are visible to the task and the task's to the main thread, with no other
// synchronization; ThreadSanitizer checks the order, the sum checks the values.
TEST(relic_stress, data_travels_both_ways) {
  fg::relic relic;
  std::uint64_t question = 0;
  std::uint64_t answer = 0;
  const std::uint64_t rounds = fg::test::kSlow ? 50'000 : 1'000'000;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    question = round;
    relic.submit([&question, &answer] { answer = question * 3; });
    relic.wait();
    ASSERT_EQ(answer, round * 3);
  }
}

TEST(relic_stress, comes_and_goes) {
  for (int round = 0; round < 300; ++round) {
    int ran = 0;
    {
      fg::relic relic;
      for (int i = 0; i < round % 7; ++i) {
        relic.submit([&ran] { ++ran; });
      }
      if (round % 3 == 0) {
        relic.sleep_hint();
      }
    }
    ASSERT_EQ(ran, round % 7);
  }
}

}  // namespace
