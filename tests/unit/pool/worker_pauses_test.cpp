// How long a worker looks for work between two tasks, over times that the test makes up.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/worker_pauses.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "support/ticks.hpp"

namespace {

using fg::test::us;

class pauses_of_a_worker : public testing::Test {
 protected:
  // A pause whose task is due after so many microseconds. It sleeps as soon as it should, and is
  // then woken late.
  void pass(int gap, int late = 60) {
    const std::uint64_t first = now_;
    const std::uint64_t due = first + us(gap);
    while (!pauses_.has_looked_enough(first, now_)) {
      if (now_ >= due) {
        pauses_.found_task(now_);
        return;
      }
      now_ += us(2);
    }
    slept_ = true;
    now_ = due + us(late);
    pauses_.was_woken(now_);
  }

  // The same many times: whether it sleeps in the last one.
  bool sleeps_in(int gap, int times = 200) {
    for (int i = 0; i != times; ++i) {
      slept_ = false;
      pass(gap);
    }
    return slept_;
  }

  // How long it looks in the next pause.
  std::uint64_t looks_for() {
    const std::uint64_t first = now_;
    while (!pauses_.has_looked_enough(first, now_)) {
      now_ += us(1);
    }
    pauses_.found_task(now_);
    return now_ - first;
  }

  fg::detail::worker_pauses pauses_{us(200)};
  std::uint64_t now_ = fg::to_ticks(std::chrono::seconds{1});
  bool slept_ = false;
};

TEST_F(pauses_of_a_worker, looks_for_the_whole_budget_without_a_history) {
  EXPECT_FALSE(pauses_.is_pause());
  EXPECT_FALSE(pauses_.has_looked_enough(now_, now_ + us(199)));
  EXPECT_TRUE(pauses_.is_pause());
  EXPECT_TRUE(pauses_.has_looked_enough(now_, now_ + us(201)));
  pauses_.was_woken(now_ + us(1000));
  EXPECT_FALSE(pauses_.is_pause());
}

TEST_F(pauses_of_a_worker, sleeps_at_once_where_all_pauses_are_long) {
  EXPECT_TRUE(sleeps_in(300));
  EXPECT_LT(looks_for(), us(10));
}

TEST_F(pauses_of_a_worker, stays_awake_where_no_pause_is_longer_than_the_budget) {
  EXPECT_FALSE(sleeps_in(5));
  EXPECT_FALSE(sleeps_in(190));
  EXPECT_GT(looks_for(), us(190));
}

// It is late for each of them then, and the next pause begins when it was woken.
TEST_F(pauses_of_a_worker, learns_to_stay_awake_while_it_sleeps) {
  ASSERT_TRUE(sleeps_in(5000));
  EXPECT_FALSE(sleeps_in(150));
  ASSERT_TRUE(sleeps_in(5000));
  EXPECT_FALSE(sleeps_in(20));
}

TEST_F(pauses_of_a_worker, counts_what_its_last_look_has_found_as_found_in_time) {
  for (int i = 0; i != 200; ++i) {
    const std::uint64_t first = now_;
    ASSERT_FALSE(pauses_.has_looked_enough(first, first + us(199)));
    ASSERT_TRUE(pauses_.has_looked_enough(first, first + us(201)));
    pauses_.found_task(now_ = first + us(220));
  }
}

// Otherwise it would look for even less long in the next one.
TEST_F(pauses_of_a_worker, counts_a_pause_with_a_sleep_as_longer_than_its_looks) {
  for (int i = 0; i != 200; ++i) {
    pass(i % 10 == 0 ? 5000 : 3);
  }
  ASSERT_LT(looks_for(), us(8));
  for (int i = 0; i != 200; ++i) {
    pass(i % 10 == 0 ? 5000 : 10, 20);
  }
  EXPECT_GT(looks_for(), us(10));
}

}  // namespace
