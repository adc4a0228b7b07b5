// The deque whose owner may be busy, step by step on one thread, then with an owner and thieves
// that act as its deputies.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/numbered_tasks.hpp"
#include "support/sanitizer.hpp"

namespace {

template <class Deque>
class any_deputised_deque : public fg::test::numbered_tasks {
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
  // All public tasks, one by one.
  std::vector<fg::pool_task*> steal_all() {
    std::vector<fg::pool_task*> stolen;
    for (auto some = steal(1); !some.empty(); some = steal(1)) {
      stolen.push_back(some.front());
    }
    return stolen;
  }
  std::vector<fg::pool_task*> pop_all() {
    std::vector<fg::pool_task*> popped;
    while (fg::pool_task* const each = deque_->pop()) {
      popped.push_back(each);
    }
    return popped;
  }

  std::unique_ptr<Deque> deque_ = std::make_unique<Deque>();
};

class deputised_deque : public any_deputised_deque<fg::detail::deputised_deque> {};

TEST_F(deputised_deque, deputy_publishes_the_older_half) {
  push(0, 7);
  EXPECT_FALSE(deque_->has_public_guess());
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_TRUE(deque_->has_public_guess());
  EXPECT_EQ(steal_all(), (std::vector{&task(0), &task(1), &task(2), &task(3)}));
  EXPECT_EQ(pop_all(), (std::vector{&task(6), &task(5), &task(4)}));
}

TEST_F(deputised_deque, deputy_publishes_the_last_one_too) {
  push(0, 1);
  EXPECT_TRUE(deque_->has_private_guess());
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_FALSE(deque_->has_private_guess());
  EXPECT_EQ(steal_all(), (std::vector{&task(0)}));
}

TEST_F(deputised_deque, deputy_has_nothing_to_publish) {
  EXPECT_FALSE(deque_->publish_as_deputy());
  EXPECT_FALSE(deque_->has_private_guess());
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(deputised_deque, deputy_publishes_nothing_more_while_something_is_public) {
  push(0, 4);
  EXPECT_TRUE(deque_->publish_as_deputy());  // 0 and 1
  push(4, 8);
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_EQ(steal_all(), (std::vector{&task(0), &task(1)}));
}

TEST_F(deputised_deque, deputies_empty_it_without_its_owner) {
  constexpr std::size_t kTasks = 20'000;  // more than its ring holds
  push(0, kTasks);
  std::size_t next = 0;
  while (deque_->publish_as_deputy()) {
    for (fg::pool_task* const each : steal_all()) {
      ASSERT_EQ(each, &task(next++));
    }
  }
  EXPECT_EQ(next, kTasks);
  EXPECT_EQ(deque_->pop(), nullptr);
}

TEST_F(deputised_deque, owner_takes_back_what_adeputy_has_published) {
  push(0, 4);
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_EQ(pop_all(), (std::vector{&task(3), &task(2), &task(1), &task(0)}));
}

TEST_F(deputised_deque, owner_and_deputy_publish_in_turn) {
  push(0, 2);
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_EQ(steal_all(), (std::vector{&task(0)}));
  push(2, 4);
  EXPECT_TRUE(deque_->answer());
  EXPECT_EQ(steal_all(), (std::vector{&task(1), &task(2)}));
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_EQ(steal_all(), (std::vector{&task(3)}));
  EXPECT_EQ(deque_->pop(), nullptr);
}

// Long enough to wrap around its ring of slots.
TEST_F(deputised_deque, goes_round_its_ring) {
  for (int round = 0; round < 10'000; ++round) {
    push(0, 3);
    ASSERT_TRUE(deque_->publish_as_deputy());
    ASSERT_EQ(steal(1), (std::vector{&task(0)}));
    ASSERT_EQ(pop_all(), (std::vector{&task(2), &task(1)}));
  }
}

TEST_F(deputised_deque, request_stands_until_the_owner_answers) {
  push(0, 2);
  deque_->answer();
  deque_->ask();
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_TRUE(deque_->was_asked());
  EXPECT_FALSE(deque_->push_unless_asked(task(2)));
  EXPECT_EQ(deque_->pop_newest_unless_asked(), nullptr);
  deque_->answer();
  EXPECT_FALSE(deque_->was_asked());
  EXPECT_EQ(pop_all(), (std::vector{&task(1), &task(0)})) << "the refused ones did nothing";
}

TEST_F(deputised_deque, short_ways_work_before_and_after_adeputy) {
  push(0, 1);
  deque_->answer();  // 0 is public
  EXPECT_TRUE(deque_->push_unless_asked(task(1)));
  EXPECT_TRUE(deque_->push_unless_asked(task(2)));
  EXPECT_TRUE(deque_->pop_unless_asked(task(2)));
  std::array<fg::pool_task*, 1> stolen{};
  ASSERT_EQ(deque_->steal(stolen), 1U);  // the last one: asks
  deque_->answer();                      // 1 is public
  EXPECT_TRUE(deque_->publish_as_deputy());
  EXPECT_FALSE(deque_->pop_unless_asked(task(1))) << "not private any more";
  EXPECT_TRUE(deque_->push_unless_asked(task(3)));
  EXPECT_FALSE(deque_->pop_unless_asked(task(1))) << "not the newest";
  EXPECT_TRUE(deque_->pop_unless_asked(task(3)));
  EXPECT_EQ(pop_all(), (std::vector{&task(1)}));
}

TEST_F(deputised_deque, push_that_looks_pushes_in_any_case_and_tells_of_arequest) {
  using result = fg::detail::deputised_deque::push_result;
  push(0, 1);
  deque_->answer();  // 0 is public
  EXPECT_EQ(deque_->push_and_look(task(1)), result::pushed);
  deque_->announce_sleep();
  EXPECT_EQ(deque_->push_and_look(task(2)), result::pushed_and_asked);
  deque_->answer();
  EXPECT_EQ(deque_->push_and_look(task(3)), result::pushed);
  EXPECT_EQ(pop_all(), (std::vector{&task(3), &task(2), &task(1), &task(0)}));
}

TEST_F(deputised_deque, pops_the_newest_the_short_way) {
  push(0, 3);
  EXPECT_EQ(deque_->pop_newest_unless_asked(), nullptr) << "asked: its first task is wanted";
  deque_->answer();  // 0 and 1
  EXPECT_EQ(deque_->pop_newest_unless_asked(), &task(2));
  EXPECT_EQ(deque_->pop_newest_unless_asked(), nullptr) << "public ones take the long way";
  EXPECT_TRUE(deque_->push_unless_asked(task(3)));
  EXPECT_TRUE(deque_->push_unless_asked(task(4)));
  EXPECT_EQ(deque_->pop_newest_unless_asked(), &task(4));
  EXPECT_EQ(pop_all(), (std::vector{&task(3), &task(1), &task(0)}));
}

// ---- a deputy blocks the owner ----

// The lock of the one deque of a test: `before_entry` runs between the owner's check and its entry,
// and returns whether it gets in.
struct scripted_lock {
  static inline std::function<bool()> before_entry;
  static inline int entered = 0;  // minus those that left

  static bool try_enter() noexcept {
    if (before_entry && !std::exchange(before_entry, nullptr)()) {
      return false;
    }
    ++entered;
    return true;
  }
  static bool try_enter_without_fence() noexcept { return try_enter(); }
  static void enter() noexcept { ++entered; }
  static void leave() noexcept { --entered; }
  static bool try_enter_as_deputy() noexcept {
    const bool is_free = entered == 0;
    entered += is_free ? 1 : 0;
    return is_free;
  }
  static void leave_as_deputy() noexcept { --entered; }
};

using scripted_deque = fg::detail::basic_private_deque<scripted_lock, 13>;

class interrupted_deque : public any_deputised_deque<scripted_deque> {
 protected:
  // 0 is public, 1 is private, there is no request.
  void SetUp() override {
    scripted_lock::before_entry = nullptr;
    scripted_lock::entered = 0;
    deque_->open(true);
    push(0, 2);
    ASSERT_TRUE(deque_->answer());
  }
  void TearDown() override {
    EXPECT_EQ(scripted_lock::entered, 0) << "somebody has not left";
    EXPECT_FALSE(scripted_lock::before_entry) << "nobody has come by";
  }
  static void let_adeputy_be_inside() {
    scripted_lock::before_entry = [] { return false; };
  }
  void let_adeputy_come_and_go() {
    scripted_lock::before_entry = [this] {
      EXPECT_EQ(steal_all(), (std::vector{&task(0)}));
      EXPECT_TRUE(deque_->publish_as_deputy());
      return true;
    };
  }
};

TEST_F(interrupted_deque, push_is_refused_while_adeputy_is_inside) {
  let_adeputy_be_inside();
  EXPECT_FALSE(deque_->push_unless_asked(task(2)));
  EXPECT_EQ(pop_all(), (std::vector{&task(1), &task(0)}));
}

TEST_F(interrupted_deque, push_that_looks_is_refused_while_adeputy_is_inside) {
  let_adeputy_be_inside();
  EXPECT_EQ(deque_->push_and_look(task(2)), scripted_deque::push_result::refused);
  EXPECT_EQ(pop_all(), (std::vector{&task(1), &task(0)}));
}

TEST_F(interrupted_deque, pop_is_refused_while_adeputy_is_inside) {
  let_adeputy_be_inside();
  EXPECT_FALSE(deque_->pop_unless_asked(task(1)));
  EXPECT_EQ(pop_all(), (std::vector{&task(1), &task(0)}));
}

TEST_F(interrupted_deque, pop_of_the_newest_is_refused_while_adeputy_is_inside) {
  let_adeputy_be_inside();
  EXPECT_EQ(deque_->pop_newest_unless_asked(), nullptr);
  EXPECT_EQ(pop_all(), (std::vector{&task(1), &task(0)}));
}

TEST_F(interrupted_deque, pop_does_not_take_what_was_published_since_its_look) {
  let_adeputy_come_and_go();
  EXPECT_FALSE(deque_->pop_unless_asked(task(1)));
  EXPECT_EQ(pop_all(), (std::vector{&task(1)})) << "once";
}

TEST_F(interrupted_deque, pop_of_the_newest_does_not_take_what_was_published) {
  let_adeputy_come_and_go();
  EXPECT_EQ(deque_->pop_newest_unless_asked(), nullptr);
  EXPECT_EQ(pop_all(), (std::vector{&task(1)})) << "once";
}

TEST_F(interrupted_deque, push_comes_behind_what_was_published) {
  let_adeputy_come_and_go();
  EXPECT_TRUE(deque_->push_unless_asked(task(2)));
  EXPECT_EQ(steal_all(), (std::vector{&task(1)}));
  EXPECT_EQ(pop_all(), (std::vector{&task(2)}));
}

TEST_F(interrupted_deque, deputy_is_refused_while_the_owner_is_inside) {
  EXPECT_EQ(steal_all(), (std::vector{&task(0)}));
  scripted_lock::enter();
  EXPECT_FALSE(deque_->publish_as_deputy());
  EXPECT_TRUE(deque_->has_private_guess());
  scripted_lock::leave();
  EXPECT_TRUE(deque_->publish_as_deputy());
}

// ---- with thieves ----

struct counted_task : fg::pool_task {
  std::size_t payload = 0;  // plain: ThreadSanitizer checks that taking follows pushing
  fg::atomic<std::uint32_t> taken{0};
};

class hammered_deque : public testing::Test {
 protected:
  void push(std::size_t number) {
    counted_task& task = tasks_[number];
    task.payload = number + 1;
    if (!deque_->push_unless_asked(task)) {
      deque_->push(task);
      deque_->answer();
    }
  }
  void take(fg::pool_task* found) {
    if (found != nullptr) {
      auto& task = static_cast<counted_task&>(*found);
      EXPECT_EQ(task.payload, static_cast<std::size_t>(&task - tasks_.data()) + 1);
      task.taken.fetch_add(1, fg::memory_order_relaxed);
      left_.fetch_sub(1);
    }
  }
  bool goes_on() { return left_.load() > 0 && std::chrono::steady_clock::now() < deadline_; }

  // One of the ways to pop, each in turn.
  void pop(std::size_t turn, std::size_t newest) {
    switch (turn % 3) {
      case 0:
        take(deque_->pop());
        break;
      case 1:
        take(deque_->pop_newest_unless_asked());
        break;
      default:
        if (deque_->pop_unless_asked(tasks_[newest])) {
          take(&tasks_[newest]);
        }
    }
  }
  void own() {
    for (std::size_t i = 0; i < kTasks; ++i) {
      push(i);
      if (i % 2 == 0) {
        pop(i / 2, i);
      }
      if (i % kTasksBetweenRests == 0) {
        be_busy();
      }
    }
    while (goes_on()) {
      take(deque_->pop());
    }
  }
  // Answers no request until a deputy has published something for it, or there is nothing to
  // publish.
  void be_busy() {
    const std::size_t before = published_.load();
    while (published_.load() == before && deque_->has_private_guess() &&
           std::chrono::steady_clock::now() < deadline_) {
      std::this_thread::yield();
    }
  }
  void steal() {
    std::array<fg::pool_task*, 4> stolen{};
    for (std::size_t in_vain = 0; goes_on();) {
      const std::size_t count = deque_->steal(stolen);
      for (std::size_t i = 0; i < count; ++i) {
        take(stolen[i]);
      }
      if (count == 0) {
        deque_->ask();
        if (++in_vain % kLooksBeforeDeputy == 0 && deque_->publish_as_deputy()) {
          published_.fetch_add(1);
        }
      }
    }
  }

  static constexpr std::size_t kTasks = fg::test::kSlow ? 20'000 : 60'000;
  static constexpr std::size_t kTasksBetweenRests = 200;
  static constexpr std::size_t kLooksBeforeDeputy = 8;

  std::unique_ptr<fg::detail::deputised_deque> deque_ =
      std::make_unique<fg::detail::deputised_deque>();
  std::vector<counted_task> tasks_{kTasks};
  fg::atomic<std::ptrdiff_t> left_{kTasks};
  fg::atomic<std::size_t> published_{0};
  // After it no thread waits any more, for a deputy or for a task that was lost.
  std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds{300};
};

TEST_F(hammered_deque, each_task_comes_out_once) {
  deque_->open(true);
  std::vector<std::thread> thieves;
  thieves.reserve(2);
  for (int i = 0; i < 2; ++i) {
    thieves.emplace_back([this] { steal(); });
  }
  own();
  for (std::thread& each : thieves) {
    each.join();
  }
  EXPECT_EQ(deque_->pop(), nullptr);
  EXPECT_GT(published_.load(), 0U);
  for (std::size_t i = 0; i < kTasks; ++i) {
    ASSERT_EQ(tasks_[i].taken.load(), 1U) << i;
  }
}

}  // namespace
