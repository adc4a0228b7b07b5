// The protocol, one step at a time on one thread: what each side may see, and when.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/handoff_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using ring = fg::detail::handoff_ring<8>;

class handoff_ring : public testing::Test {
 protected:
  // True when there was space; the task then appends `number` to `ran_` when it runs.
  bool publish(int number) {
    if (!ring_.reserve()) {
      return false;
    }
    ring_.next_record().emplace([this, number] { ran_.push_back(number); });
    ring_.publish();
    return true;
  }
  void publish_all(int first, int last) {
    for (int number = first; number <= last; ++number) {
      ASSERT_TRUE(publish(number)) << number;
    }
  }
  bool run_one() {
    fg::detail::task_record* const task = ring_.try_next();
    if (task == nullptr) {
      return false;
    }
    task->run();
    ring_.complete();
    return true;
  }
  void run_all() {
    while (run_one()) {
    }
  }

  ring ring_;
  std::vector<int> ran_;
};

TEST_F(handoff_ring, is_drained_and_empty_at_first) {
  EXPECT_TRUE(ring_.drained());
  EXPECT_EQ(ring_.try_next(), nullptr);
  EXPECT_TRUE(ring_.reserve());
}

TEST_F(handoff_ring, is_drained_only_after_complete) {
  publish_all(1, 1);
  EXPECT_FALSE(ring_.drained());
  fg::detail::task_record* const task = ring_.try_next();
  ASSERT_NE(task, nullptr);
  task->run();
  EXPECT_FALSE(ring_.drained());
  EXPECT_EQ(ring_.try_next(), task) << "the same task until it is completed";
  ring_.complete();
  EXPECT_TRUE(ring_.drained());
  EXPECT_EQ(ring_.try_next(), nullptr);
}

TEST_F(handoff_ring, shows_nothing_before_publish) {
  ASSERT_TRUE(ring_.reserve());
  ring_.next_record().emplace([] {});
  EXPECT_EQ(ring_.try_next(), nullptr);
}

TEST_F(handoff_ring, is_full_at_its_capacity) {
  publish_all(1, 8);
  EXPECT_FALSE(publish(9));
  EXPECT_FALSE(ring_.reserve());
  EXPECT_TRUE(run_one());
  EXPECT_TRUE(publish(9));
  EXPECT_FALSE(publish(10));
  run_all();
  EXPECT_EQ(ran_, (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(handoff_ring, finds_exactly_the_free_slots_after_any_number_of_completions) {
  for (int completed = 0; completed <= 8; ++completed) {
    publish_all(1, 8);
    ASSERT_FALSE(ring_.reserve());
    for (int i = 0; i < completed; ++i) {
      ASSERT_TRUE(run_one());
    }
    int published = 0;
    while (publish(9 + published)) {
      ++published;
    }
    EXPECT_EQ(published, completed);
    run_all();
    ASSERT_TRUE(ring_.drained());
    ring_.rewind();
  }
}

TEST_F(handoff_ring, uses_one_slot_when_every_task_is_waited_for) {
  fg::detail::task_record* const hot = &ring_.next_record();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(&ring_.next_record(), hot);
    publish_all(i, i);
    EXPECT_EQ(ring_.try_next(), hot);
    EXPECT_TRUE(run_one());
    ASSERT_TRUE(ring_.drained());
    ring_.rewind();
  }
}

// After a rewind the slot after the last task may hold an older one, and slot 0 the next one.
TEST_F(handoff_ring, keeps_the_order_across_every_rewind_position) {
  int number = 0;
  std::vector<int> expected;
  for (int burst = 1; burst <= 8; ++burst) {
    for (int next = 1; next <= 8; ++next) {
      for (const int count : {burst, next}) {
        for (int i = 0; i < count; ++i) {
          expected.push_back(number);
          publish_all(number, number);
          ++number;
        }
        run_all();
        ASSERT_TRUE(ring_.drained());
        ring_.rewind();
      }
    }
  }
  EXPECT_EQ(ran_, expected);
}

// The main thread is a lap ahead in slot 0 while the assistant is still in the middle.
TEST_F(handoff_ring, does_not_take_a_later_task_in_the_hot_slot) {
  publish_all(1, 8);
  EXPECT_TRUE(run_one());
  EXPECT_TRUE(run_one());
  publish_all(9, 10);  // slots 0 and 1
  run_all();
  EXPECT_EQ(ran_, (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST_F(handoff_ring, has_a_whole_cache_line_for_each_slot) {
  const auto address = [this] { return reinterpret_cast<std::uintptr_t>(&ring_.next_record()); };
  const std::uintptr_t first = address();
  publish_all(1, 1);
  EXPECT_EQ(address() - first, fg::kCacheLineBytes);
  EXPECT_EQ(first / fg::kCacheLineBytes,
            (first + sizeof(fg::detail::task_record) - 1) / fg::kCacheLineBytes);
}

}  // namespace
