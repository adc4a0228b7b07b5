// The deque step by step, on one thread: owner and thieves take turns.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/queue/private_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "finegrain/task/pool_task.hpp"
#include "support/busy.hpp"
#include "support/numbered_tasks.hpp"

namespace {

class private_deque : public fg::test::numbered_tasks {
 protected:
  void SetUp() override { deque_->open(true); }

  void push(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      deque_->push(task(i));
    }
  }
  std::vector<fg::pool_task*> steal(std::size_t most) {
    std::vector<fg::pool_task*> stolen(most);
    stolen.resize(deque_->steal(stolen));
    return stolen;
  }

  std::unique_ptr<fg::detail::private_deque> deque_ = std::make_unique<fg::detail::private_deque>();
};

TEST_F(private_deque, pops_the_newest_first) {
  push(0, 3);
  EXPECT_EQ(deque_->pop(), &task(2));
  EXPECT_EQ(deque_->pop(), &task(1));
  push(5, 6);
  EXPECT_EQ(deque_->pop(), &task(5));
  EXPECT_EQ(deque_->pop(), &task(0));
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(private_deque, shows_thieves_nothing_until_asked) {
  deque_->answer();
  push(0, 10);
  EXPECT_FALSE(deque_->has_public_guess());
  EXPECT_TRUE(steal(1).empty());
}

TEST_F(private_deque, wants_its_first_task_published) {
  EXPECT_FALSE(deque_->push_unless_asked(task(0)));
  push(0, 1);
  EXPECT_TRUE(deque_->answer());
  EXPECT_FALSE(deque_->was_asked());
  EXPECT_TRUE(deque_->push_unless_asked(task(1)));
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
}

TEST_F(private_deque, publishes_the_older_half) {
  push(0, 7);
  EXPECT_TRUE(deque_->answer());
  std::vector<fg::pool_task*> stolen;
  for (auto some = steal(1); !some.empty(); some = steal(1)) {
    stolen.push_back(some.front());
  }
  EXPECT_EQ(stolen, (std::vector{&task(0), &task(1), &task(2), &task(3)}));
  EXPECT_EQ(deque_->pop(), &task(6));
  EXPECT_EQ(deque_->pop(), &task(5));
  EXPECT_EQ(deque_->pop(), &task(4));
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(private_deque, gives_a_thief_half_of_what_is_public) {
  push(0, 10);
  deque_->answer();  // 0 to 4
  EXPECT_EQ(steal(8), (std::vector{&task(0), &task(1), &task(2)}));
  EXPECT_EQ(steal(8), (std::vector{&task(3)}));
  EXPECT_EQ(steal(8), (std::vector{&task(4)}));
  EXPECT_TRUE(steal(8).empty());
}

TEST_F(private_deque, gives_a_thief_no_more_than_it_can_hold) {
  push(0, 20);
  deque_->answer();
  EXPECT_EQ(steal(2), (std::vector{&task(0), &task(1)}));
}

TEST_F(private_deque, takes_back_what_nobody_stole) {
  push(0, 4);
  deque_->answer();  // 0 and 1
  EXPECT_EQ(deque_->pop(), &task(3));
  EXPECT_EQ(deque_->pop(), &task(2));
  EXPECT_EQ(deque_->pop(), &task(1));
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(private_deque, takes_back_one_after_the_other) {
  push(0, 6);
  deque_->answer();  // 0 to 2
  for (const std::size_t expected : {5U, 4U, 3U, 2U, 1U, 0U}) {
    EXPECT_EQ(deque_->pop(), &task(expected));
  }
  push(6, 7);
  deque_->answer();
  EXPECT_EQ(steal(1), (std::vector{&task(6)}));
}

TEST_F(private_deque, stays_asked_while_it_has_nothing_to_give) {
  EXPECT_FALSE(deque_->answer());
  EXPECT_TRUE(deque_->was_asked());
}

TEST_F(private_deque, asks_for_the_next_publication_when_nothing_is_public_any_more) {
  push(0, 1);
  deque_->answer();
  EXPECT_EQ(deque_->pop(), &task(0));
  EXPECT_TRUE(deque_->was_asked());
  push(0, 2);
  deque_->answer();
  EXPECT_FALSE(deque_->was_asked());
  steal(1);  // the last public one
  EXPECT_TRUE(deque_->was_asked());
  EXPECT_TRUE(deque_->answer());
  EXPECT_EQ(steal(1), (std::vector{&task(1)}));
}

TEST_F(private_deque, pops_the_short_way_only_its_newest_task_and_unless_asked) {
  push(0, 2);
  deque_->answer();  // 0 is public
  EXPECT_FALSE(deque_->pop_unless_asked(task(0)));
  deque_->ask();
  EXPECT_FALSE(deque_->pop_unless_asked(task(1)));
  deque_->answer();
  EXPECT_TRUE(deque_->pop_unless_asked(task(1)));
  EXPECT_FALSE(deque_->pop_unless_asked(task(0)));
  EXPECT_EQ(deque_->pop(), &task(0));
}

TEST_F(private_deque, publishes_nothing_more_while_something_is_public) {
  push(0, 2);
  deque_->answer();
  push(2, 10);
  deque_->ask();
  EXPECT_TRUE(deque_->answer());
  EXPECT_EQ(steal(8).size(), 1U);
  EXPECT_TRUE(steal(8).empty());
}

TEST_F(private_deque, keeps_everything_without_thieves) {
  deque_->open(false);
  EXPECT_TRUE(deque_->push_unless_asked(task(0)));
  EXPECT_TRUE(deque_->pop_unless_asked(task(0)));
  EXPECT_FALSE(deque_->answer());
  EXPECT_FALSE(deque_->was_asked());
}

TEST_F(private_deque, publishes_more_than_its_ring_holds_in_portions) {
  constexpr std::size_t kTasks = 40'000;
  push(0, kTasks);
  std::size_t next = 0;
  while (deque_->answer()) {
    for (auto some = steal(8); !some.empty(); some = steal(8)) {
      for (fg::pool_task* const each : some) {
        ASSERT_EQ(each, &task(next++));
      }
    }
  }
  EXPECT_EQ(next, kTasks);
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(private_deque, goes_round_its_ring) {
  for (int round = 0; round < 50'000; ++round) {
    push(0, 3);
    deque_->answer();
    ASSERT_EQ(steal(1), (std::vector{&task(0)}));
    ASSERT_EQ(deque_->pop(), &task(2));
    ASSERT_EQ(deque_->pop(), &task(1));
    ASSERT_EQ(deque_->pop(), nullptr);
  }
}

class reserving_deque : public private_deque {
 protected:
  void reserve(std::size_t first, std::size_t last) {
    deque_->ask();
    ASSERT_TRUE(deque_->begin_reserving());
    push(first, last);
    deque_->answer();
  }
};

TEST_F(reserving_deque, is_left_alone_for_a_while) {
  // Unless this thread is interrupted for longer than that.
  const auto is_left_alone = [this] {
    reserve(0, 1);
    const bool was_reserved = deque_->is_reserved_guess();
    const bool alone = steal(1).empty();
    while (deque_->pop() != nullptr) {
    }
    return was_reserved && alone;
  };
  bool any = false;
  for (int i = 0; i < 100 && !any; ++i) {
    any = is_left_alone();
  }
  EXPECT_TRUE(any);
}

TEST_F(reserving_deque, is_stolen_from_after_that) {
  reserve(0, 1);
  fg::test::busy_for(std::chrono::microseconds{20});
  EXPECT_TRUE(deque_->is_reserving_guess());
  EXPECT_FALSE(deque_->is_reserved_guess());
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
}

TEST_F(reserving_deque, is_stolen_from_at_once_when_it_ends) {
  reserve(0, 1);
  deque_->end_reserving();
  EXPECT_FALSE(deque_->is_reserving_guess());
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
}

TEST_F(reserving_deque, refuses_pushes_that_do_not_know_of_it) {
  reserve(0, 1);
  EXPECT_FALSE(deque_->push_unless_asked(task(1)));
  EXPECT_TRUE(deque_->push_if_reserved(task(1)));
  EXPECT_EQ(deque_->pop(), &task(1));
  EXPECT_EQ(deque_->pop(), &task(0));
  EXPECT_FALSE(deque_->push_if_reserved(task(1))) << "nothing is public";
}

TEST_F(reserving_deque, answers_when_something_can_be_published) {
  reserve(0, 1);
  EXPECT_FALSE(deque_->has_to_answer()) << "thieves find something";
  EXPECT_TRUE(deque_->push_if_reserved(task(1)));
  fg::test::busy_for(std::chrono::microseconds{20});
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
  EXPECT_TRUE(deque_->has_to_answer());
  EXPECT_TRUE(deque_->answer());
  EXPECT_TRUE(deque_->has_reserved());
  EXPECT_EQ(deque_->pop(), &task(1));
  EXPECT_FALSE(deque_->has_to_answer()) << "there is no task";
}

TEST_F(reserving_deque, begins_with_no_task_only) {
  push(0, 1);
  deque_->ask();
  EXPECT_FALSE(deque_->begin_reserving());
  EXPECT_EQ(deque_->pop(), &task(0));
  EXPECT_TRUE(deque_->begin_reserving());
}

TEST_F(reserving_deque, begins_if_a_thief_has_asked_lately) {
  ASSERT_TRUE(deque_->begin_reserving()) << "it may";
  EXPECT_FALSE(deque_->was_asked_by_thief());
  fg::test::busy_for(std::chrono::microseconds{20});
  EXPECT_FALSE(deque_->begin_reserving()) << "it has not asked again";
  deque_->end_reserving();
  push(0, 1);
  EXPECT_TRUE(deque_->answer());
  EXPECT_FALSE(deque_->was_asked());
  EXPECT_EQ(deque_->pop(), &task(0));
  EXPECT_TRUE(deque_->was_asked()) << "by the owner";
  EXPECT_FALSE(deque_->begin_reserving());
  deque_->ask();
  EXPECT_TRUE(deque_->begin_reserving());
}

TEST_F(reserving_deque, is_told_once_of_long_tasks) {
  EXPECT_FALSE(deque_->were_reserved_long());
  deque_->report_long();
  EXPECT_TRUE(deque_->were_reserved_long());
  EXPECT_FALSE(deque_->were_reserved_long());
}

TEST_F(reserving_deque, ends_with_the_region) {
  reserve(0, 1);
  fg::detail::private_deque::put_aside aside{};
  deque_->begin_region(aside, 1);
  EXPECT_FALSE(deque_->has_reserved());
  EXPECT_EQ(steal(1), (std::vector{&task(0)}));
  reserve(1, 2);
  deque_->end_region(aside);
  EXPECT_FALSE(deque_->has_reserved());
}

TEST_F(reserving_deque, does_not_keep_others_from_emptying_it) {
  reserve(0, 2);
  EXPECT_EQ(deque_->pop_of_any_region(), &task(1));
  EXPECT_FALSE(deque_->is_reserving_guess());
}

}  // namespace
