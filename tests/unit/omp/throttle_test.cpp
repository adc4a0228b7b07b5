// SPDX-License-Identifier: Apache-2.0
#include "omp/throttle.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace {

using fg::omp::throttle;

// A thread that makes tasks one after the other, and others that take some of those that it shares:
// the durations are given, and time advances accordingly.
class task_maker {
 public:
  explicit task_maker(bool throttles = true) : throttle_{throttles} {}

  double running_ns = 100;
  double sharing_ns = 100;
  bool others_take_all = true;
  bool others_ask = false;

  // Makes one task; true: it was shared.
  bool make() {
    const bool runs =
        throttle_.may_run(pending_) && (throttle_.is_amid_step() || throttle_.look(sight(), [&] {
          pending_ = others_take_all ? 0 : pending_;
          return throttle::count{pending_, ticks()};
        }));
    ++made_;
    now_ns_ += runs ? running_ns : sharing_ns;
    pending_ += runs ? 0U : 1U;
    return !runs;
  }
  // The number of the next `tasks` that are shared.
  std::uint64_t shared_of(std::uint64_t tasks) {
    std::uint64_t shared = 0;
    for (; tasks > 0; --tasks) {
      shared += make() ? 1U : 0U;
    }
    return shared;
  }
  // The number of tasks up to the next one that is shared; a thousand if there is none.
  std::uint64_t run_until_shared() {
    std::uint64_t tasks = 0;
    while (tasks < 1000 && !make()) {
      ++tasks;
    }
    return tasks;
  }
  // Makes tasks up to the next one that runs at once: a shared one may be a trial.
  void share_until_run() {
    for (int tasks = 0; make(); ++tasks) {
      ASSERT_LT(tasks, 1000);
    }
  }
  void wait() { throttle_.start_afresh(made_); }
  void done(std::uint64_t tasks) { pending_ -= tasks; }
  void pretend_pending(std::uint64_t tasks) { pending_ = tasks; }

 private:
  [[nodiscard]] std::uint64_t ticks() const {
    return static_cast<std::uint64_t>(now_ns_ * fg::ticks_per_ns());
  }
  [[nodiscard]] throttle::sight sight() const {
    return {.now = ticks(), .made = made_, .was_asked = others_ask};
  }

  throttle throttle_;
  double now_ns_ = 1e6;
  std::uint64_t made_ = 0;
  std::uint64_t pending_ = 0;
};

// A maker that has made this many, and knows their duration.
task_maker experienced(double running_ns, double sharing_ns, std::uint64_t tasks) {
  task_maker maker;
  maker.running_ns = running_ns;
  maker.sharing_ns = sharing_ns;
  maker.shared_of(tasks);
  return maker;
}

TEST(throttle, shares_until_256_are_pending) {
  task_maker maker{};
  maker.others_take_all = false;
  EXPECT_EQ(maker.shared_of(1000), throttle::kMostPending);
}

TEST(throttle, shares_all_if_it_is_told_to) {
  task_maker maker{false};
  maker.others_take_all = false;
  EXPECT_EQ(maker.shared_of(1000), 1000U);
}

TEST(throttle, runs_long_tasks_until_30_percent_are_done) {
  task_maker maker;
  maker.others_take_all = false;
  maker.running_ns = 50'000;
  ASSERT_EQ(maker.shared_of(1000), throttle::kMostPending);
  maker.done(76);
  EXPECT_EQ(maker.shared_of(100), 0U);
  maker.done(1);
  EXPECT_LE(maker.run_until_shared(), 16U);
  EXPECT_EQ(maker.shared_of(100), 76U);  // one has been shared
}

TEST(throttle, shares_what_takes_longer_than_sharing) {
  task_maker maker = experienced(500, 80, 10'000);
  EXPECT_GT(maker.shared_of(100'000), 90'000U);
}

TEST(throttle, runs_what_takes_less_than_sharing) {
  task_maker maker = experienced(15, 80, 10'000);
  EXPECT_LT(maker.shared_of(100'000), 2'000U);
}

TEST(throttle, asks_for_relief_no_longer_if_a_thread_finds_no_task) {
  task_maker maker;
  maker.others_take_all = false;
  maker.running_ns = 5'000;
  maker.shared_of(1000);
  maker.others_ask = true;
  EXPECT_LE(maker.run_until_shared(), 16U);
  EXPECT_EQ(maker.shared_of(31), 31U);  // and more than one for it
}

TEST(throttle, does_not_run_longer_tasks_for_long_after_short_ones) {
  task_maker maker = experienced(15, 800, 100'000);
  maker.running_ns = 100'000;
  maker.share_until_run();
  EXPECT_LE(maker.run_until_shared(), 22U);  // a step that has begun, and a few more
  EXPECT_GT(maker.shared_of(1000), 900U);
}

TEST(throttle, notices_that_tasks_have_become_short) {
  task_maker maker = experienced(100'000, 80, 10'000);
  maker.running_ns = 15;
  maker.shared_of(100'000);
  EXPECT_LT(maker.shared_of(100'000), 2'000U);
}

TEST(throttle, is_not_misled_by_an_interruption) {
  task_maker maker = experienced(15, 80, 100'000);
  maker.running_ns = 1e7;
  maker.share_until_run();
  maker.running_ns = 15;
  EXPECT_LT(maker.shared_of(100'000), 2'000U);
}

TEST(throttle, shares_at_first_after_a_wait) {
  task_maker maker = experienced(15, 80, 100'000);
  maker.share_until_run();
  maker.wait();
  EXPECT_TRUE(maker.make());
  EXPECT_EQ(maker.shared_of(100), 100U);
}

// Finished tasks seem pending until the thread checks.
TEST(throttle, shares_the_first_one_after_a_wait_whatever_seems_pending) {
  for (const bool while_running : {false, true}) {
    task_maker maker = experienced(15, 80, 100'000);
    maker.share_until_run();
    if (!while_running) {
      maker.run_until_shared();
    }
    maker.wait();
    maker.others_take_all = false;
    maker.pretend_pending(throttle::kMostPending);
    EXPECT_TRUE(maker.make());
  }
}

TEST(throttle, bounds_what_it_believes_of_sharing) {
  task_maker maker = experienced(2'000, 1e6, 10'000);  // with something between, for instance
  EXPECT_GT(maker.shared_of(10'000), 9'000U);
}

}  // namespace
