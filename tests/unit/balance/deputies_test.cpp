// Which worker takes whose tasks, and when. In the policies: deputised_test.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/balance/deputies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/numbered_tasks.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr std::uint32_t kPatience = fg::detail::deputies::kPatience;
constexpr std::size_t kWorkers = 3;

// Three workers, whose queues are lists.
class deputies : public fg::test::numbered_tasks {
 protected:
  fg::pool_task* take(std::size_t whose) {
    if (queues_[whose].empty()) {
      return nullptr;
    }
    fg::pool_task* const first = queues_[whose].front();
    queues_[whose].pop_front();
    return first;
  }
  // One check by `worker` of the others' queues.
  fg::pool_task* look(fg::detail::deputies& those, std::size_t worker) {
    return those.take_as_deputy(
        worker, [&](std::size_t absent) { return !queues_[absent].empty(); },
        [&](std::size_t absent) { return take(absent); });
  }
  fg::pool_task* look_often(fg::detail::deputies& those, std::size_t worker, std::uint32_t most) {
    fg::pool_task* found = nullptr;
    for (std::uint32_t i = 0; i < most && found == nullptr; ++i) {
      found = look(those, worker);
    }
    return found;
  }

  std::array<std::deque<fg::pool_task*>, kWorkers> queues_;
  fg::detail::deputies caller_{kWorkers};
  fg::detail::deputies everybody_{kWorkers, fg::detail::deputised::everybody};
};

TEST_F(deputies, take_from_aworker_that_never_comes_when_they_lose_patience) {
  queues_[1] = {&task(0), &task(1)};
  EXPECT_EQ(look_often(everybody_, 0, kPatience), nullptr);
  EXPECT_EQ(look(everybody_, 0), &task(0));
  EXPECT_EQ(look(everybody_, 0), &task(1)) << "where there was one it goes on at once";
  EXPECT_EQ(look(everybody_, 0), nullptr);
}

TEST_F(deputies, watch_everybody_in_turn) {
  for (std::size_t watcher = 0; watcher < kWorkers; ++watcher) {
    for (std::size_t absent = 0; absent < kWorkers; ++absent) {
      queues_[absent] = {&task(absent)};
      EXPECT_EQ(look_often(everybody_, watcher, kWorkers * (kPatience + 1)),
                watcher == absent ? nullptr : &task(absent))
          << watcher << " for " << absent;
      queues_[absent].clear();
    }
  }
}

TEST_F(deputies, of_the_caller_take_from_nobody_else) {
  queues_[1] = {&task(1)};
  EXPECT_EQ(look_often(caller_, 0, 10 * kPatience), nullptr);
  EXPECT_EQ(look_often(caller_, 2, 10 * kPatience), nullptr);
  queues_[0] = {&task(0)};
  EXPECT_EQ(look_often(caller_, 0, 10 * kPatience), nullptr) << "not from oneself";
  EXPECT_EQ(look_often(caller_, 2, kPatience + 1), &task(0));
}

TEST_F(deputies, visit_those_who_have_left_at_once) {
  caller_.leave(1);
  queues_[1] = {&task(0), &task(1)};
  EXPECT_EQ(look_often(caller_, 2, kWorkers), &task(0));
  EXPECT_TRUE(caller_.any_within_reach(0, [](std::size_t worker) { return worker == 1; }));
  caller_.come_back(1);
  EXPECT_EQ(look_often(caller_, 2, 10 * kPatience), nullptr);
  EXPECT_FALSE(caller_.any_within_reach(0, [](std::size_t worker) { return worker == 1; }));
}

TEST_F(deputies, tell_whether_the_absent_have_tasks) {
  const auto has_task = [&](std::size_t absent) { return !queues_[absent].empty(); };
  const auto visit_any = [&] {
    return caller_.absent().visit_any(has_task, [&](std::size_t absent) { return take(absent); });
  };
  queues_[0] = {&task(0)};
  queues_[1] = {&task(1)};
  queues_[2] = {&task(2)};
  EXPECT_FALSE(caller_.absent().any_task(has_task));
  EXPECT_EQ(visit_any(), nullptr);
  caller_.leave(0);
  caller_.leave(1);
  EXPECT_TRUE(caller_.absent().any_task(has_task));
  EXPECT_EQ(visit_any(), &task(0));
  EXPECT_EQ(visit_any(), &task(1));
  EXPECT_EQ(visit_any(), nullptr);
  EXPECT_FALSE(caller_.absent().any_task(has_task));
}

TEST_F(deputies, are_none_where_there_is_one_worker) {
  fg::detail::deputies none{1, fg::detail::deputised::everybody};
  queues_[0] = {&task(0)};
  EXPECT_EQ(look_often(none, 0, 3 * kPatience), nullptr);
}

TEST_F(deputies, keep_away_from_aworker_that_gives_signs_of_life) {
  for (fg::detail::deputies* const those : {&caller_, &everybody_}) {
    queues_[0] = {&task(0)};
    for (int round = 0; round < 20; ++round) {
      EXPECT_TRUE(those->own(0, [] {}));
      EXPECT_EQ(look_often(*those, 1, kPatience / 2), nullptr);
      EXPECT_TRUE(those->own(2, [] {}));
    }
    EXPECT_EQ(look_often(*those, 1, kWorkers * (kPatience + 1)), &task(0)) << "now it is away";
  }
}

TEST_F(deputies, own_is_refused_while_one_of_them_is_inside) {
  queues_[0] = {&task(0)};
  look_often(caller_, 1, kPatience);
  bool was_run = false;
  const auto try_to_own = [&](std::size_t worker) {
    return caller_.own(worker, [&] { was_run = true; });
  };
  fg::pool_task* const found = caller_.take_as_deputy(
      1, [](std::size_t) { return true; },
      [&](std::size_t absent) {
        EXPECT_FALSE(try_to_own(absent));
        EXPECT_FALSE(was_run);
        EXPECT_EQ(caller_.take_as_owner(absent, [&] { return take(absent); }), nullptr);
        EXPECT_TRUE(try_to_own(2)) << "nobody stands in for that one";
        return take(absent);
      });
  EXPECT_EQ(found, &task(0));
  EXPECT_TRUE(try_to_own(0));
}

TEST_F(deputies, are_refused_while_the_owner_is_inside) {
  queues_[0] = {&task(0), &task(1)};
  const fg::pool_task* const taken = everybody_.take_as_owner(0, [&] {
    EXPECT_EQ(look_often(everybody_, 1, 10 * kPatience), nullptr);
    return take(0);
  });
  EXPECT_EQ(taken, &task(0));
  EXPECT_EQ(look_often(everybody_, 1, kWorkers * (kPatience + 1)), &task(1));
}

TEST_F(deputies, reach_whom_they_stand_in_for) {
  for (std::size_t holder = 0; holder < kWorkers; ++holder) {
    const auto has_task = [&](std::size_t worker) { return worker == holder; };
    for (std::size_t worker = 0; worker < kWorkers; ++worker) {
      EXPECT_TRUE(everybody_.any_within_reach(worker, has_task));
      EXPECT_EQ(caller_.any_within_reach(worker, has_task), holder == 0 || holder == worker);
    }
  }
  EXPECT_FALSE(everybody_.any_within_reach(0, [](std::size_t) { return false; }));
}

// The lists are plain: only the locks separate an owner, who is often away, from two deputies.
TEST_F(deputies, hammered_each_task_comes_out_once) {
  constexpr std::size_t kTasks = fg::test::kSlow ? 1000 : 20'000;
  std::vector<fg::pool_task> tasks(kTasks);
  for (fg::pool_task& each : tasks) {
    queues_[0].push_back(&each);
  }
  std::array<std::vector<fg::pool_task*>, kWorkers> taken;
  fg::atomic<std::ptrdiff_t> left{kTasks};
  fg::atomic<std::size_t> by_deputies{0};
  // After it no thread waits any more, for a deputy or for a task that was lost.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  const auto goes_on = [&] {
    return left.load() > 0 && std::chrono::steady_clock::now() < deadline;
  };
  const auto keep = [&](std::size_t worker, fg::pool_task* task) {
    if (task != nullptr) {
      taken[worker].push_back(task);
      left.fetch_sub(1);
    }
    return task != nullptr;
  };
  std::vector<std::thread> threads;
  threads.reserve(kWorkers);
  threads.emplace_back([&] {
    while (goes_on()) {
      for (int i = 0; i < 16; ++i) {
        keep(0, everybody_.take_as_owner(0, [&] { return take(0); }));
      }
      const std::size_t before = by_deputies.load();  // away until a deputy has acted for it
      while (by_deputies.load() == before && goes_on()) {
        std::this_thread::yield();
      }
    }
  });
  for (const std::size_t worker : {1U, 2U}) {
    threads.emplace_back([&, worker] {
      while (goes_on()) {
        fg::pool_task* const found = everybody_.take_as_deputy(
            worker, [&](std::size_t absent) { return absent == 0; },
            [&](std::size_t absent) { return take(absent); });
        if (keep(worker, found)) {
          by_deputies.fetch_add(1);
        }
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  std::set<fg::pool_task*> all;
  for (const std::vector<fg::pool_task*>& each : taken) {
    all.insert(each.begin(), each.end());
  }
  EXPECT_EQ(all.size(), kTasks);
  EXPECT_EQ(taken[0].size() + taken[1].size() + taken[2].size(), kTasks);
  EXPECT_GT(by_deputies.load(), 0U);
}

}  // namespace
