// A relic whose threads are late, moved and stopped: every task once, in order, each result right.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/algorithm/relic/parallel_reduce.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/chaos_run.hpp"
#include "support/one_cpu.hpp"

namespace {

using fg::test::dawdle;
using fg::test::mixed;

// A random sequence of requests to one relic, and checks of their results.
class asked_at_random {
 private:
  auto task(std::uint64_t number) {
    return [this, number, late = mixed(number)] {
      dawdle(late);
      out_of_order_ += static_cast<std::uint64_t>(number != ran_);
      ++ran_;
    };
  }

 public:
  asked_at_random(fg::relic& relic, fg::test::chaos_run& run)
      : relic_{relic}, run_{run}, visited_(300) {}

  void call() {
    dawdle(run_.random());
    switch (run_.random() % 16) {
      case 0:
        relic_.sleep_hint();
        break;
      case 1:
        relic_.wake_up_hint();
        break;
      case 2:
      case 3:
        wait();
        break;
      case 4:
        fork();
        break;
      case 5:
        loop();
        break;
      case 6:
        reduce();
        break;
      case 7:
        submitted_ += static_cast<std::uint64_t>(relic_.try_submit(task(submitted_)));
        break;
      case 8:  // beyond the queue
        submit(run_.random() % 200);
        break;
      case 9:
        throw_in_task();
        break;
      default:
        submit(1);
    }
  }

  void finish() { wait(); }

 private:
  void submit(std::uint64_t tasks) {
    for (; tasks != 0; --tasks) {
      relic_.submit(task(submitted_));
      ++submitted_;
    }
  }

  // The first exception since the last wait, and no other.
  void throw_in_task() {
    if (!thrown_) {
      thrown_ = submitted_;
    }
    relic_.submit([this, number = submitted_] {
      out_of_order_ += static_cast<std::uint64_t>(number != ran_);
      ++ran_;
      throw std::out_of_range{std::to_string(number)};
    });
    ++submitted_;
  }

  void wait() {
    try {
      relic_.wait();
      EXPECT_FALSE(thrown_);
    } catch (const std::out_of_range& thrown) {
      EXPECT_EQ(thrown.what(), std::to_string(thrown_.value_or(~std::uint64_t{0})));
    }
    thrown_.reset();
    ASSERT_EQ(ran_, submitted_);
    ASSERT_EQ(out_of_order_, 0U);
  }

  [[nodiscard]] fg::offload mode() {
    return run_.random() % 2 == 0 ? fg::offload::always : fg::offload::adaptive;
  }

  void fork() {
    const std::uint64_t late = run_.random();
    const auto [a, b] = fg::fork_join(
        relic_,
        [late] {
          dawdle(late);
          return late;
        },
        [late] {
          dawdle(mixed(late));
          return mixed(late);
        },
        mode());
    ASSERT_EQ(a, late);
    ASSERT_EQ(b, mixed(late));
  }

  void loop() {
    const std::size_t size = run_.random() % visited_.size();
    std::ranges::fill(visited_, 0U);
    fg::parallel_for(relic_, std::size_t{0}, size,
                     [this, late = run_.random()](std::size_t i) {
                       dawdle(mixed(late + i) / 4);
                       ++visited_[i];
                     },
                     {.grain = run_.random() % 8, .mode = mode()});
    ASSERT_EQ(std::ranges::count(visited_, 1U), static_cast<std::ptrdiff_t>(size));
  }

  void reduce() {
    const std::uint64_t size = run_.random() % 300;
    const auto sum =
        fg::parallel_reduce(relic_, std::uint64_t{0}, size, std::uint64_t{0},
                            [late = run_.random()](std::uint64_t i) {
                              dawdle(mixed(late + i) / 4);
                              return i;
                            },
                            std::plus<>{}, {.grain = run_.random() % 8, .mode = mode()});
    ASSERT_EQ(sum, size == 0 ? 0 : size * (size - 1) / 2);
  }

  fg::relic& relic_;
  fg::test::chaos_run& run_;
  std::uint64_t submitted_ = 0;
  std::optional<std::uint64_t> thrown_;  // the first task since the last wait that will throw
  std::vector<std::uint32_t> visited_;
  // Used by the assistant until a wait.
  std::uint64_t ran_ = 0;
  std::uint64_t out_of_order_ = 0;
};

void ask_at_random(fg::relic& relic, fg::test::chaos_run& run) {
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  asked_at_random asked{relic, run};
  while (run.goes_on()) {
    asked.call();
    if (testing::Test::HasFailure()) {
      break;
    }
  }
  asked.finish();
}

TEST(relic_chaos, random_calls) {
  fg::test::chaos_run run;
  fg::relic relic;
  ask_at_random(relic, run);
}

// Asleep whenever there is nothing to do.
TEST(relic_chaos, random_calls_without_a_spin_budget) {
  fg::test::chaos_run run;
  using std::chrono::microseconds;
  fg::relic relic{{.spin_budget = microseconds{0}, .hinted_budget = microseconds{1}}};
  ask_at_random(relic, run);
}

TEST(relic_chaos, random_calls_with_both_threads_on_one_cpu) {
  fg::test::with_relic_on_one_cpu([](fg::relic& relic) {
    fg::test::chaos_run run;  // sees one CPU only: it moves no thread away
    ask_at_random(relic, run);
  });
}

// Several relics, each with its own main thread, made and destroyed all the time: also with tasks
// in the queue, and with an assistant that sleeps or is about to.
TEST(relic_chaos, many_come_and_go) {
  fg::test::chaos_run run;
  fg::atomic<bool> over{false};
  std::vector<std::thread> mains;
  mains.reserve(3);
  for (std::uint64_t main = 0; main < 3; ++main) {
    mains.emplace_back([&over, random = mixed(run.random())]() mutable {
      while (!over.load()) {
        random = mixed(random);
        const std::uint64_t tasks = random % 150;
        std::uint64_t ran = 0;
        {
          fg::relic relic{{.spin_budget = std::chrono::microseconds{random % 3 * 20}}};
          dawdle(random >> 8U);
          for (std::uint64_t i = 0; i < tasks; ++i) {
            relic.submit([&ran] { ++ran; });
          }
          if (random % 2 == 0) {
            relic.sleep_hint();
            dawdle(random >> 16U);
          }
        }
        ASSERT_EQ(ran, tasks);
      }
    });
  }
  while (run.goes_on()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  over.store(true);
  for (std::thread& each : mains) {
    each.join();
  }
}

}  // namespace
