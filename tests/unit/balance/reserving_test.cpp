// Tasks that a worker reserves under the default policy, step by step, on one thread.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/busy.hpp"
#include "support/numbered_tasks.hpp"

namespace {

// Worker 0 reserves, worker 1 steals.
class reserving : public fg::test::numbered_tasks {
 protected:
  // Worker 0 pushes some while worker 1 looks for tasks.
  void reserve(std::size_t first, std::size_t last) {
    policy_.steal(1);
    for (std::size_t i = first; i < last; ++i) {
      ASSERT_TRUE(policy_.push_reserved(0, task(i)));
    }
  }
  // A task of worker 0, as soon as it is not reserved.
  fg::pool_task* steal() {
    constexpr int attempts = 1'000'000;
    fg::pool_task* stolen = nullptr;
    for (int i = 0; i < attempts && stolen == nullptr; ++i) {
      stolen = policy_.steal(1);
    }
    return stolen;
  }
  static void wait_for_end_of_reservation() { fg::test::busy_for(std::chrono::microseconds{20}); }

  std::array<fg::detail::private_deque, 2> deques_;
  fg::detail::idle_workers idle_{2};
  fg::detail::private_deque_balance policy_{{deques_.data(), &deques_[1]}, idle_};
};

TEST_F(reserving, ends_with_a_task_that_is_not_short) {
  reserve(0, 1);
  EXPECT_TRUE(deques_[0].has_reserved());
  policy_.push(0, task(1));
  EXPECT_FALSE(deques_[0].has_reserved());
  EXPECT_NE(steal(), nullptr);
}

TEST_F(reserving, is_seen_by_a_thief_once) {
  bool has_seen = false;
  for (int i = 0; i < 100 && !has_seen; ++i) {  // unless this thread is interrupted each time
    reserve(0, 1);
    policy_.steal(1);
    has_seen = policy_.has_seen_reserved(1);
    while (policy_.pop(0) != nullptr) {
    }
    while (policy_.pop(1) != nullptr) {
    }
  }
  EXPECT_TRUE(has_seen);
  EXPECT_FALSE(policy_.has_seen_reserved(1));
}

// The thief may have reserved tasks of its own before, and knows nothing of those that it steals.
TEST_F(reserving, is_not_what_a_thief_does_with_what_it_stole) {
  policy_.steal(0);
  ASSERT_TRUE(policy_.push_reserved(1, task(9)));
  ASSERT_EQ(policy_.pop(1), &task(9));
  for (std::size_t i = 0; i < 8; ++i) {
    policy_.push(0, task(i));
  }
  ASSERT_NE(steal(), nullptr);
  policy_.pop(0);  // publishes more, as the thief has taken the last public one
  ASSERT_NE(steal(), nullptr);
  ASSERT_TRUE(deques_[1].has_public_guess());
  EXPECT_FALSE(deques_[1].is_reserving_guess());
}

TEST_F(reserving, is_reported_if_the_tasks_were_long) {
  reserve(0, 1);
  wait_for_end_of_reservation();
  ASSERT_EQ(steal(), &task(0));
  fg::test::busy_for(std::chrono::microseconds{20});  // as if it ran
  EXPECT_FALSE(deques_[0].were_reserved_long());
  policy_.steal(1);
  EXPECT_TRUE(deques_[0].were_reserved_long());
}

}  // namespace
