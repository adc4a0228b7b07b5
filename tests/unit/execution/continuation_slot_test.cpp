// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/continuation_slot.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

TEST(continuation_slot, tells_a_late_awaiter_that_the_task_has_finished) {
  fg::detail::continuation_slot slot;
  int continuation = 0;
  EXPECT_FALSE(slot.has_finished());
  EXPECT_EQ(slot.finish(), nullptr);
  EXPECT_TRUE(slot.has_finished());
  EXPECT_FALSE(slot.try_leave(&continuation));
}

TEST(continuation_slot, gives_the_runner_what_the_awaiter_has_left) {
  fg::detail::continuation_slot slot;
  int continuation = 0;
  EXPECT_TRUE(slot.try_leave(&continuation));
  EXPECT_FALSE(slot.has_finished());
  EXPECT_EQ(slot.finish(), &continuation);
  EXPECT_TRUE(slot.has_finished());
}

TEST(continuation_slot, continues_exactly_once) {
  for (int round = 0; round < 2000; ++round) {
    fg::detail::continuation_slot slot;
    int continuation = 0;
    int result = 0;
    std::thread runner{[&] {
      result = round;
      if (auto* const left = static_cast<int*>(slot.finish())) {
        *left += 1 + result;
      }
    }};
    if (continuation = 1; !slot.try_leave(&continuation)) {
      continuation += 1 + result;
    }
    runner.join();
    ASSERT_EQ(continuation, 2 + round);
  }
}

}  // namespace
