// Priorities of what is posted, and groups of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
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

TEST(posted_tasks, gives_the_highest_first_and_each_in_order) {
  fg::posted_tasks posted;
  std::vector<fg::pool_task> tasks(6);
  posted.put(tasks[0], task_priority::background);
  posted.put(tasks[1], task_priority::normal);
  posted.put(tasks[2], task_priority::high);
  posted.put(tasks[3], task_priority::background);
  posted.put(tasks[4], task_priority::normal);
  posted.put(tasks[5], task_priority::high);
  EXPECT_EQ(posted.take(task_priority::high), &tasks[2]);
  EXPECT_EQ(posted.take(task_priority::normal), &tasks[5]);
  EXPECT_EQ(posted.take(task_priority::high), nullptr);
  EXPECT_EQ(posted.take(task_priority::background), &tasks[1]);
  EXPECT_EQ(posted.take(task_priority::normal), &tasks[4]);
  EXPECT_EQ(posted.take(task_priority::normal), nullptr);
  EXPECT_TRUE(posted.has_work_guess());
  EXPECT_TRUE(posted.remove(tasks[3]));
  EXPECT_FALSE(posted.remove(tasks[3]));
  EXPECT_EQ(posted.take(task_priority::background), tasks.data());
  EXPECT_FALSE(posted.has_work_guess());
}

TEST(posted_tasks, a_priority_that_has_waited_too_long_is_served_once) {
  fg::posted_tasks posted;
  std::vector<fg::pool_task> tasks(3);
  posted.put(tasks[0], task_priority::background);
  posted.put(tasks[1], task_priority::background);
  std::this_thread::sleep_for(fg::posted_tasks::kMostWait.back());
  posted.put(tasks[2], task_priority::high);
  EXPECT_EQ(posted.take(task_priority::high), tasks.data());
  EXPECT_EQ(posted.take(task_priority::high), &tasks[2]);
  EXPECT_EQ(posted.take(task_priority::normal), nullptr) << "another 100 ms for the second one";
}

// Posts `names` while the only own thread is busy, lowest first; in which order they began.
TEST(priority, an_own_thread_takes_the_highest_first) {
  std::mutex mutex;
  std::string order;
  event is_busy;
  event may_end;
  fg::pool pool{{.workers = 2}};
  const auto note = [&](char name) {
    return [&, name] {
      const std::lock_guard lock{mutex};
      order += name;
    };
  };
  pool.post([&] {
    is_busy.happen();
    may_end.wait();
  });
  is_busy.wait();
  {
    const std::lock_guard lock{mutex};  // so that the spare thread takes one at most
    pool.post(task_priority::background, note('c'));
    pool.post(task_priority::background, note('c'));
    pool.post(note('b'));
    pool.post(task_priority::high, note('a'));
    pool.post(task_priority::high, note('a'));
    may_end.happen();
  }
  const auto count = [&] {
    const std::lock_guard lock{mutex};
    return order.size();
  };
  while (count() != 5) {
    std::this_thread::yield();
  }
  EXPECT_EQ(order, "aabcc");
}

TEST(priority, background_work_does_not_begin_beside_a_run_that_has_work) {
  for (const std::size_t workers : {1U, 2U}) {
    event other_is_busy;
    event may_end;
    fg::atomic<int> begun{0};
    fg::atomic<int> ran_meanwhile{0};
    fg::pool pool{{.workers = workers}};
    pool.run([&] {
      if (workers == 2) {  // the own thread
        pool.post([&] {
          other_is_busy.happen();
          may_end.wait();
        });
        other_is_busy.wait();
      }
      for (int i = 0; i < 10; ++i) {
        pool.post(task_priority::background, [&] { ++begun; });
      }
      work_for(std::chrono::milliseconds{20});
      ran_meanwhile = begun.load();
      may_end.happen();
    });
    EXPECT_EQ(ran_meanwhile.load(), 0);
    while (begun.load() != 10) {
      std::this_thread::yield();
    }
  }
}

TEST(priority, background_work_does_not_starve_beside_a_run_without_end) {
  for (const std::size_t workers : {1U, 2U}) {
    event other_is_busy;
    event may_end;
    fg::atomic<int> begun{0};
    fg::pool pool{{.workers = workers}};
    pool.run([&] {
      if (workers == 2) {
        pool.post([&] {
          other_is_busy.happen();
          may_end.wait();
        });
        other_is_busy.wait();
      }
      for (int i = 0; i < 10; ++i) {
        pool.post(task_priority::background, [&] { ++begun; });
      }
      while (begun.load() < 2) {
        std::this_thread::yield();
      }
      may_end.happen();
    });
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
