// The lock step by step on one thread, then with an owner and two deputies under contention.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/wait/biased_lock.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/pause.hpp"

namespace {

using clock = std::chrono::steady_clock;

class biased_lock : public testing::Test {
 protected:
  fg::detail::biased_lock lock_;
};

TEST_F(biased_lock, lets_them_in_one_after_the_other) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(lock_.try_enter());
    lock_.leave();
    EXPECT_TRUE(lock_.try_enter_as_deputy());
    lock_.leave_as_deputy();
    lock_.enter();
    lock_.leave();
  }
}

TEST_F(biased_lock, refuses_deputies_while_the_owner_is_inside) {
  ASSERT_TRUE(lock_.try_enter());
  EXPECT_FALSE(lock_.try_enter_as_deputy());
  EXPECT_FALSE(lock_.try_enter_as_deputy());
  lock_.leave();
  EXPECT_TRUE(lock_.try_enter_as_deputy());
}

TEST_F(biased_lock, owner_does_not_feel_a_refused_deputy) {
  ASSERT_TRUE(lock_.try_enter());
  EXPECT_FALSE(lock_.try_enter_as_deputy());
  lock_.leave();
  EXPECT_TRUE(lock_.try_enter());
}

TEST_F(biased_lock, refuses_the_owner_while_a_deputy_is_inside) {
  ASSERT_TRUE(lock_.try_enter_as_deputy());
  EXPECT_FALSE(lock_.try_enter());
  EXPECT_FALSE(lock_.try_enter_as_deputy()) << "one deputy at a time";
  EXPECT_FALSE(lock_.try_enter()) << "the second deputy has not let the owner in";
  lock_.leave_as_deputy();
  EXPECT_TRUE(lock_.try_enter());
}

TEST_F(biased_lock, deputy_does_not_feel_a_refused_owner) {
  ASSERT_TRUE(lock_.try_enter_as_deputy());
  EXPECT_FALSE(lock_.try_enter());
  lock_.leave_as_deputy();
  EXPECT_TRUE(lock_.try_enter_as_deputy());
}

TEST_F(biased_lock, owner_waits_for_a_deputy) {
  ASSERT_TRUE(lock_.try_enter_as_deputy());
  fg::atomic<bool> entered{false};
  std::thread owner{[&] {
    lock_.enter();
    entered = true;
    lock_.leave();
  }};
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_FALSE(entered);
  lock_.leave_as_deputy();
  owner.join();
  EXPECT_TRUE(entered);
}

void pause_often(std::uint64_t times) noexcept {
  for (; times > 0; --times) {
    fg::pause();
  }
}

// A counter that two threads inside at once would corrupt: read, and written some time later.
class shared_counter {
 public:
  void increment(std::uint64_t pauses) noexcept {
    const std::uint64_t before = value_;
    fg::signal_fence(fg::memory_order_seq_cst);  // keeps the compiler from merging the two
    pause_often(pauses);
    fg::signal_fence(fg::memory_order_seq_cst);
    value_ = before + 1;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

TEST_F(biased_lock, excludes_an_owner_and_two_deputies_from_each_other) {
  constexpr std::uint64_t kLeastEntriesOfDeputies = 200;
  constexpr std::uint64_t kLong = 2000;  // pauses: longer than a deputy's system call
  constexpr auto kAtLeast = std::chrono::milliseconds{300};
  constexpr auto kAtMost = std::chrono::seconds{60};

  shared_counter counter;
  fg::atomic<std::uint64_t> of_deputies{0};
  fg::atomic<bool> stop{false};
  std::uint64_t of_owner = 0;
  std::thread owner{[&] {
    for (std::uint64_t round = 0; !stop.load(fg::memory_order_relaxed); ++round) {
      if (round % 4 == 0) {
        lock_.enter();
      } else if (!lock_.try_enter()) {
        continue;
      }
      counter.increment(round % 256 == 0 ? kLong : round % 8);
      ++of_owner;
      lock_.leave();
      if (round % 64 == 0) {  // if there are fewer CPUs than threads
        std::this_thread::yield();
      }
    }
  }};
  std::array<std::thread, 2> deputies;
  for (std::thread& each : deputies) {
    each = std::thread{[&] {
      for (std::uint64_t round = 0; !stop.load(fg::memory_order_relaxed); ++round) {
        pause_often(round % 61);  // so that the owner has the lock's lines to itself
        if (lock_.try_enter_as_deputy()) {
          counter.increment(8);
          lock_.leave_as_deputy();
          of_deputies.fetch_add(1, fg::memory_order_relaxed);
        }
      }
    }};
  }
  const auto begin = clock::now();
  while (clock::now() - begin < kAtLeast ||
         (of_deputies.load() < kLeastEntriesOfDeputies && clock::now() - begin < kAtMost)) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  stop = true;
  owner.join();
  for (std::thread& each : deputies) {
    each.join();
  }
  EXPECT_GE(of_deputies.load(), kLeastEntriesOfDeputies);
  EXPECT_GT(of_owner, 0U);
  EXPECT_EQ(counter.value(), of_owner + of_deputies.load());
}

}  // namespace
