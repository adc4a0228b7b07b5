// Priorities of posted tasks, and groups of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/posted_group.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/task/pool_task.hpp"

namespace {

using fg::task_priority;

void work_for(std::chrono::nanoseconds time) {
  const std::uint64_t until = fg::ticks() + fg::to_ticks(time);
  while (fg::ticks() < until) {
  }
}

class event {
 public:
  void happen() {
    happened_ = true;
    happened_.notify_all();
  }
  void wait() const { happened_.wait(false); }

 private:
  fg::atomic<bool> happened_{false};
};

// The bounds against starvation are times: on a busy machine only a round that was faster than
// `bound` is conclusive. The test repeats until there was one, at most a hundred times.
template <class Round>
void in_a_quick_round(std::chrono::nanoseconds bound, Round round) {
  for (int tries = 0; tries < 100; ++tries) {
    const std::uint64_t begin = fg::ticks();
    const auto check = round();
    if (fg::ticks() - begin < fg::to_ticks(bound)) {
      check();
      return;
    }
  }
}

constexpr std::chrono::nanoseconds kNormalBound = fg::detail::posted_tasks::kMostWait[1];
constexpr std::chrono::nanoseconds kBackgroundBound = fg::detail::posted_tasks::kMostWait[2];

TEST(posted_tasks, gives_the_highest_first_and_each_in_order) {
  in_a_quick_round(kNormalBound, [] {
    fg::detail::posted_tasks posted;
    std::vector<fg::pool_task> tasks(6);
    posted.put(tasks[0], task_priority::background);
    posted.put(tasks[1], task_priority::normal);
    posted.put(tasks[2], task_priority::high);
    posted.put(tasks[3], task_priority::background);
    posted.put(tasks[4], task_priority::normal);
    posted.put(tasks[5], task_priority::high);
    std::vector<std::ptrdiff_t> taken;
    for (const task_priority least :
         {task_priority::high, task_priority::normal, task_priority::high,
          task_priority::background, task_priority::normal, task_priority::normal,
          task_priority::background, task_priority::background, task_priority::background}) {
      const fg::pool_task* const task = posted.take(least);
      taken.push_back(task == nullptr ? -1 : task - tasks.data());
    }
    return
        [taken] { EXPECT_EQ(taken, (std::vector<std::ptrdiff_t>{2, 5, -1, 1, 4, -1, 0, 3, -1})); };
  });
}

TEST(posted_tasks, are_taken_out_again) {
  fg::detail::posted_tasks posted;
  fg::pool_task task;
  for (const task_priority priority :
       {task_priority::high, task_priority::normal, task_priority::background}) {
    posted.put(task, priority);
    EXPECT_TRUE(posted.has_work_guess());
    EXPECT_TRUE(posted.remove(task));
    EXPECT_FALSE(posted.remove(task));
    EXPECT_FALSE(posted.has_work_guess());
  }
}

TEST(posted_tasks, a_priority_that_has_waited_too_long_is_served_once) {
  in_a_quick_round(3 * kBackgroundBound / 2, [] {
    fg::detail::posted_tasks posted;
    std::vector<fg::pool_task> tasks(3);
    posted.put(tasks[0], task_priority::background);
    posted.put(tasks[1], task_priority::background);
    // Longer: what they wait is counted in ticks, whose calibration is some per mille off.
    std::this_thread::sleep_for(kBackgroundBound * 11 / 10);
    posted.put(tasks[2], task_priority::high);
    std::vector<std::ptrdiff_t> taken;
    for (const task_priority least :
         {task_priority::high, task_priority::high, task_priority::normal}) {
      const fg::pool_task* const task = posted.take(least);
      taken.push_back(task == nullptr ? -1 : task - tasks.data());
    }
    return [taken] {
      EXPECT_EQ(taken, (std::vector<std::ptrdiff_t>{0, 2, -1})) << "100 ms more for the second one";
    };
  });
}

// Occupies a thread of a pool that takes normal tasks until it is released.
class busy_thread {
 public:
  explicit busy_thread(fg::pool& pool) {
    pool.post([this] {
      has_begun_.happen();
      may_end_.wait();
      has_ended_ = true;  // the last access here
    });
    has_begun_.wait();
  }
  ~busy_thread() {
    let_go();
    while (!has_ended_) {
      std::this_thread::yield();
    }
  }
  busy_thread(const busy_thread&) = delete;
  busy_thread& operator=(const busy_thread&) = delete;

  void let_go() { may_end_.happen(); }

 private:
  event has_begun_;
  event may_end_;
  fg::atomic<bool> has_ended_{false};
};

// The order in which `tasks` tasks begin.
class begun_order {
 public:
  explicit begun_order(std::size_t tasks) : names_(tasks, ' ') {}

  auto note(char name) {
    return [this, name] {
      names_[begun_++] = name;
      ++noted_;
    };
  }
  [[nodiscard]] bool is_whole() const { return noted_.load() == names_.size(); }
  // When it is complete.
  [[nodiscard]] const std::string& names() const { return names_; }

 private:
  std::string names_;
  fg::atomic<std::size_t> begun_{0};
  fg::atomic<std::size_t> noted_{0};
};

// While both threads of the pool are busy, posts tasks, the lowest first; then one thread becomes
// free.
TEST(priority, a_thread_takes_the_highest_first) {
  in_a_quick_round(kNormalBound, [] {
    begun_order order{5};
    fg::pool pool{{.workers = 2}};
    busy_thread own{pool};
    const busy_thread spare{pool};
    pool.post(task_priority::background, order.note('c'));
    pool.post(task_priority::background, order.note('c'));
    pool.post(order.note('b'));
    pool.post(task_priority::high, order.note('a'));
    pool.post(task_priority::high, order.note('a'));
    own.let_go();
    while (!order.is_whole()) {
      std::this_thread::yield();
    }
    return [names = order.names()] { EXPECT_EQ(names, "aabcc"); };
  });
}

// Both threads are busy, a task can be stolen, and one is posted; then the own thread becomes free.
// On a busy machine that may be the spare one, which does not steal: then the other is released.
TEST(priority, a_thread_takes_high_tasks_before_it_steals) {
  for (const bool is_high : {true, false}) {
    in_a_quick_round(kNormalBound, [is_high] {
      begun_order order{2};
      fg::pool pool{{.workers = 2}};
      pool.run([&] {
        fg::task_group group;
        busy_thread own{pool};
        busy_thread spare{pool};
        group.spawn(order.note('s'));
        pool.post(is_high ? task_priority::high : task_priority::normal, order.note('p'));
        own.let_go();
        const std::uint64_t late = fg::ticks() + fg::to_ticks(kNormalBound);
        while (!order.is_whole()) {
          if (fg::ticks() > late) {
            spare.let_go();
          }
          std::this_thread::yield();
        }
        group.wait();
      });
      return [names = order.names(), is_high] { EXPECT_EQ(names, is_high ? "ps" : "sp"); };
    });
  }
}

// Within `pool.run`, while the own thread, if there is one, is busy, too.
template <class Wait>
int background_tasks_begun_beside_a_run(std::size_t workers, Wait wait) {
  fg::atomic<int> begun{0};
  int meanwhile = 0;
  fg::pool pool{{.workers = workers}};
  pool.run([&] {
    std::optional<busy_thread> own;
    if (workers == 2) {
      own.emplace(pool);
    }
    for (int i = 0; i < 10; ++i) {
      pool.post(task_priority::background, [&] { ++begun; });
    }
    wait(begun);
    meanwhile = begun.load();
  });
  while (begun.load() != 10) {
    std::this_thread::yield();
  }
  return meanwhile;
}

TEST(priority, background_work_does_not_begin_beside_a_run_that_has_work) {
  for (const std::size_t workers : {1U, 2U}) {
    in_a_quick_round(kBackgroundBound, [workers] {
      const int begun = background_tasks_begun_beside_a_run(
          workers, [](const auto&) { work_for(std::chrono::milliseconds{20}); });
      return [begun] { EXPECT_EQ(begun, 0); };
    });
  }
}

TEST(priority, background_work_does_not_starve_beside_a_run_without_end) {
  for (const std::size_t workers : {1U, 2U}) {
    const int begun = background_tasks_begun_beside_a_run(workers, [](const auto& so_far) {
      while (so_far.load() < 2) {
        std::this_thread::yield();
      }
    });
    EXPECT_GE(begun, 2);
  }
}

class posted_group : public testing::TestWithParam<task_priority> {};

TEST_P(posted_group, runs_all_from_any_thread) {
  for (const std::size_t workers : {1U, 2U, 3U}) {
    fg::pool pool{{.workers = workers}};
    fg::posted_group group{pool, GetParam()};
    fg::atomic<int> ran{0};
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 100; ++i) {
        group.spawn([&group, &ran, number = std::make_unique<int>(i)] {
          ++ran;
          if (*number % 10 == 0) {
            group.spawn([&ran] { ++ran; });
          }
        });
      }
      group.wait();
      EXPECT_EQ(ran.exchange(0), 110);
    }
  }
}

TEST_P(posted_group, is_waited_for_within_tasks_of_any_pool) {
  for (const std::size_t workers : {1U, 2U}) {
    fg::pool pool{{.workers = workers}};
    fg::pool other{{.workers = workers}};
    const auto use = [&pool] {
      fg::atomic<int> ran{0};
      fg::posted_group group{pool, GetParam()};
      for (int i = 0; i < 20; ++i) {
        group.spawn([&ran] { ++ran; });
      }
      group.wait();
      EXPECT_EQ(ran.load(), 20);
    };
    pool.run(use);
    other.run(use);
    fg::posted_group outer{pool, GetParam()};
    for (int i = 0; i < 10; ++i) {
      outer.spawn(use);
    }
    outer.wait();
  }
}

TEST_P(posted_group, passes_on_the_first_exception_and_drops_the_rest) {
  fg::pool pool{{.workers = 2}};
  fg::posted_group group{pool, GetParam()};
  pool.run([&] {
    for (int i = 0; i < 10; ++i) {
      group.spawn([] { throw std::runtime_error{"once"}; });
    }
    EXPECT_THROW(group.wait(), std::runtime_error);
  });
  int ran = 0;
  group.spawn([&ran] { ++ran; });
  group.wait();
  EXPECT_EQ(ran, 1);
}

TEST_P(posted_group, drops_what_has_not_begun_when_it_is_asked_to_stop) {
  fg::pool pool{{.workers = 2}};
  fg::stop_source source;
  fg::posted_group group{pool, GetParam(), source.get_token()};
  fg::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] {
      ++ran;
      source.request_stop();
    });
  }
  group.wait();
  EXPECT_LE(ran.load(), 3);
  EXPECT_TRUE(group.is_cancelled());
}

TEST_P(posted_group, destroys_closures_before_wait_returns) {
  fg::pool pool{{.workers = 2}};
  for (int round = 0; round < 200; ++round) {
    const auto shared = std::make_shared<int>(0);
    fg::posted_group group{pool, GetParam()};
    const auto spawn_and_wait = [&] {
      for (int i = 0; i < 5; ++i) {
        group.spawn([shared] { EXPECT_EQ(*shared, 0); });
      }
      group.wait();
      EXPECT_EQ(shared.use_count(), 1);
    };
    if (round % 2 == 0) {
      pool.run(spawn_and_wait);
    } else {
      spawn_and_wait();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(priorities, posted_group,
                         testing::Values(task_priority::high, task_priority::normal,
                                         task_priority::background));

}  // namespace
