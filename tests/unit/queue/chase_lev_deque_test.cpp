// The deque step by step, then with thieves.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/queue/chase_lev_deque.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/numbered_tasks.hpp"
#include "support/sanitizer.hpp"

namespace {

thread_local bool no_memory = false;

}  // namespace

// For the one test that needs an allocation to fail. The linker (--wrap, see CMakeLists.txt)
// redirects this file's calls of operator new here; __real is the original one, possibly a
// sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the linker's names
#if defined(_WIN64)
#define __real__Znwm __real__Znwy
#define __wrap__Znwm __wrap__Znwy
#endif
extern "C" {
void* __real__Znwm(std::size_t bytes);
void* __wrap__Znwm(std::size_t bytes) {
  if (no_memory) {
    throw std::bad_alloc{};
  }
  return __real__Znwm(bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace {

class chase_lev_deque : public fg::test::numbered_tasks {
 protected:
  void push(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      ASSERT_TRUE(deque_.push(task(i)));
    }
  }

  fg::detail::chase_lev_deque deque_{4};
};

TEST_F(chase_lev_deque, pops_the_newest_first) {
  push(0, 3);
  EXPECT_EQ(deque_.pop(), &task(2));
  EXPECT_EQ(deque_.pop(), &task(1));
  push(5, 6);
  EXPECT_EQ(deque_.pop(), &task(5));
  EXPECT_EQ(deque_.pop(), &task(0));
  EXPECT_EQ(deque_.pop(), nullptr);
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(chase_lev_deque, gives_thieves_the_oldest_first) {
  push(0, 3);
  EXPECT_EQ(deque_.steal(), &task(0));
  EXPECT_EQ(deque_.steal(), &task(1));
  push(3, 4);
  EXPECT_EQ(deque_.steal(), &task(2));
  EXPECT_EQ(deque_.steal(), &task(3));
  EXPECT_EQ(deque_.steal(), nullptr);
}

TEST_F(chase_lev_deque, gives_the_last_task_to_one_only) {
  push(0, 2);
  EXPECT_EQ(deque_.steal(), &task(0));
  EXPECT_EQ(deque_.pop(), &task(1));
  EXPECT_EQ(deque_.steal(), nullptr);
  EXPECT_EQ(deque_.pop(), nullptr);
  push(2, 3);
  EXPECT_EQ(deque_.steal(), &task(2));
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(chase_lev_deque, guesses_whether_it_has_tasks) {
  EXPECT_FALSE(deque_.has_task_guess());
  push(0, 1);
  EXPECT_TRUE(deque_.has_task_guess());
  deque_.pop();
  EXPECT_FALSE(deque_.has_task_guess());
  deque_.pop();
  EXPECT_FALSE(deque_.has_task_guess());
}

TEST_F(chase_lev_deque, goes_round_its_ring) {
  std::size_t oldest = 0;
  push(0, 2);
  for (std::size_t next = 2; next < 100; ++next) {
    push(next, next + 1);
    ASSERT_EQ(deque_.steal(), &task(oldest++));
  }
}

TEST_F(chase_lev_deque, grows_and_keeps_both_ends) {
  push(0, 3);
  EXPECT_EQ(deque_.steal(), &task(0));  // so that the positions do not begin at a slot 0
  EXPECT_EQ(deque_.steal(), &task(1));
  push(3, 1'000);
  for (std::size_t i = 0; i < 499; ++i) {
    ASSERT_EQ(deque_.steal(), &task(2 + i));
    ASSERT_EQ(deque_.pop(), &task(999 - i));
  }
  EXPECT_EQ(deque_.pop(), nullptr);
}

TEST_F(chase_lev_deque, refuses_when_it_can_not_grow_and_loses_nothing) {
  push(0, 4);
  fg::pool_task& more = task(4);
  no_memory = true;
  const bool pushed = deque_.push(more);
  no_memory = false;
  EXPECT_FALSE(pushed);
  EXPECT_EQ(deque_.steal(), &task(0));
  EXPECT_TRUE(deque_.push(more));
  for (std::size_t i = 4; i > 0; --i) {
    EXPECT_EQ(deque_.pop(), &task(i));
  }
}

class chase_lev_thieves : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, chase_lev_thieves, testing::Values(1, 2, 7));

struct counted : fg::pool_task {
  std::size_t payload = 0;  // plain: published by push
  fg::atomic<std::uint32_t> taken{0};
};

// The thread that gets a task of `all` counts it here, and sees what was written before the push.
void count(fg::pool_task* task, std::vector<counted>& all, fg::atomic<std::ptrdiff_t>& left) {
  if (task != nullptr) {
    auto& mine = static_cast<counted&>(*task);
    EXPECT_EQ(mine.payload, static_cast<std::size_t>(&mine - all.data()) + 1);
    mine.taken.fetch_add(1);
    left.fetch_sub(1);
  }
}

// Few tasks at a time, so that owner and thieves meet at the last ones, and only the deque between
// two attempts: each thread records locally what it got.
TEST_P(chase_lev_thieves, take_each_task_once) {
  const std::size_t all = fg::test::kSlow ? 20'000 : 1'000'000;
  std::vector<fg::pool_task> tasks(all);
  std::vector<std::vector<fg::pool_task*>> taken(GetParam() + 1);
  fg::detail::chase_lev_deque deque{2};
  fg::atomic<bool> finished{false};
  // A store to a line that thieves keep taking away delays the owner's next one, the one in pop: so
  // a pop that read the top too early would be detected.
  struct alignas(fg::kCacheLineBytes) {
    fg::atomic<std::size_t> word{0};
  } contended;
  const auto take = [](fg::pool_task* task, std::vector<fg::pool_task*>& mine) {
    if (task != nullptr) {
      mine.push_back(task);
    }
    return task != nullptr;
  };
  std::vector<std::thread> thieves;
  thieves.reserve(GetParam());
  for (std::size_t i = 0; i < GetParam(); ++i) {
    thieves.emplace_back([&, i] {
      while (!finished.load()) {
        take(deque.steal(), taken[i]);
        contended.word.fetch_add(1, fg::memory_order_relaxed);
      }
    });
  }
  for (std::size_t next = 0; next < all;) {
    for (std::size_t some = next % 3 + 1; some > 0 && next < all; --some, ++next) {
      ASSERT_TRUE(deque.push(tasks[next]));
    }
    contended.word.store(0, fg::memory_order_relaxed);
    take(deque.pop(), taken.back());
    contended.word.store(0, fg::memory_order_relaxed);
    take(deque.pop(), taken.back());
  }
  while (take(deque.pop(), taken.back())) {
  }
  finished.store(true);
  for (std::thread& each : thieves) {
    each.join();
  }
  std::vector<std::uint32_t> times(all);
  for (const auto& each : taken) {
    for (const fg::pool_task* task : each) {
      ++times[static_cast<std::size_t>(task - tasks.data())];
    }
  }
  for (const std::uint32_t each : times) {
    ASSERT_EQ(each, 1U);
  }
}

TEST_P(chase_lev_thieves, may_be_reading_while_the_ring_grows) {
  constexpr std::size_t kDeques = 500;
  constexpr std::size_t kTasksEach = 70;
  std::vector<counted> tasks(kDeques * kTasksEach);
  std::deque<fg::detail::chase_lev_deque> deques;
  std::deque<fg::atomic<std::ptrdiff_t>> left;
  for (std::size_t i = 0; i < kDeques; ++i) {
    deques.emplace_back(1U);
    left.emplace_back(std::ptrdiff_t{kTasksEach});
  }
  std::vector<std::thread> thieves;
  thieves.reserve(GetParam());
  for (std::size_t i = 0; i < GetParam(); ++i) {
    thieves.emplace_back([&] {
      for (std::size_t each = 0; each < kDeques; ++each) {
        while (left[each].load() > 0) {
          count(deques[each].steal(), tasks, left[each]);
        }
      }
    });
  }
  for (std::size_t next = 0; next < tasks.size(); ++next) {
    tasks[next].payload = next + 1;
    ASSERT_TRUE(deques[next / kTasksEach].push(tasks[next]));
  }
  for (std::thread& each : thieves) {
    each.join();
  }
  for (const counted& each : tasks) {
    ASSERT_EQ(each.taken.load(), 1U);
  }
}

}  // namespace
