// Random graphs against a direct reading of the specification, then with several threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "dependence_graph.hpp"
#include "finegrain/core/atomic.hpp"
#include "omp/dependences.hpp"
#include "omp/task.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::omp::access;
using fg::omp::dependence;
using fg::omp::dependence_node;
using fg::omp::dependence_table;
using fg::test::all_memory;
using fg::test::items;
using fg::test::kX;

// A direct reading: whether the later of two tasks has to wait for the earlier one, both given by
// their items.
bool conflicts(const items& earlier, const items& later) {
  for (const dependence& one : earlier) {
    for (const dependence& other : later) {
      if (one.how == access::all_memory || other.how == access::all_memory) {
        return true;
      }
      const bool together = one.how == other.how && one.how != access::inout;
      if (one.address == other.address && !together) {
        return true;
      }
    }
  }
  return false;
}

class any_dependences : public fg::test::dependence_graph {
 protected:
  items some_items() {
    if (dice(12) == 0) {
      return all_memory();
    }
    items some;
    for (std::size_t count = 1 + dice(3); count > 0; --count) {
      constexpr std::array kKinds{access::in, access::in, access::inout, access::inoutset};
      some.push_back({kX + 8 * dice(3), kKinds.at(dice(kKinds.size()))});
    }
    return some;
  }
  std::size_t dice(std::size_t sides) { return random_() % sides; }

  // Tasks may finish while others are still being made; no thread waits in a taskwait.
  void make_one() {
    const bool is_task = dice(6) != 0;
    const items some = some_items();
    const std::size_t number = is_task ? add(some) : await(some);
    items_.push_back(some);
    is_task_.push_back(is_task);
    ASSERT_EQ(number + 1, items_.size());
  }
  [[nodiscard]] std::vector<std::size_t> expected() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      bool may_run = !is_finished(i);
      for (std::size_t before = 0; before < i && may_run; ++before) {
        may_run = is_finished(before) || !is_task_[before] || !conflicts(items_[before], items_[i]);
      }
      if (may_run) {
        all.push_back(i);
      }
    }
    return all;
  }
  void run(std::size_t tasks) {
    while (items_.size() < tasks || !ready().empty()) {
      const std::vector<std::size_t> now = ready();
      ASSERT_EQ(now, expected());
      if (items_.size() < tasks && (now.empty() || dice(3) != 0)) {
        make_one();
      } else {
        finish(now[dice(now.size())]);
      }
    }
  }
  void start_again(unsigned seed) {
    TearDown();
    table_ = std::make_unique<dependence_table>();
    nodes_.clear();
    items_.clear();
    is_task_.clear();
    random_.seed(seed);
    start_watching();
  }

 private:
  std::mt19937_64 random_{0};
  std::vector<items> items_;
  std::vector<bool> is_task_;
};

TEST_F(any_dependences, are_those_of_the_specification) {
  for (unsigned seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    start_again(seed);
    run(30);
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
  }
}

// ---- several threads ----

// One thread makes tasks, two run them. Each reads or writes non-atomically what its predecessors
// have written: its order comes from the graph alone, since the thread that makes a task ready runs
// it.
class threaded_dependences : public testing::Test {
 protected:
  struct written_task : fg::omp::task {
    dependence_node* node = nullptr;
    items uses;
    std::array<std::size_t, 3> seen{};  // for each location: writers before it
  };

  void make_all() {
    std::mt19937_64 random{6};
    std::array<std::size_t, 3> writers{};
    for (written_task& each : tasks_) {
      each.seen = writers;
      for (std::size_t where = random() % 3, last = where + random() % 2; where <= last; ++where) {
        const bool writes = random() % 3 == 0;
        each.uses.push_back({where % 3, writes ? access::inout : access::in});
        writers.at(where % 3) += writes ? 1U : 0U;
      }
      each.node = &fg::test::make_alone(&each);
      table_.link(*each.node, each.uses);
      if (each.node->end_linking()) {
        const std::lock_guard hold{mutex_};
        ready_.push_back(&each);
      }
    }
  }
  void run_some() {
    while (done_.load() < kTasks && std::chrono::steady_clock::now() < deadline_) {
      written_task* first = nullptr;
      {
        const std::lock_guard hold{mutex_};
        if (!ready_.empty()) {
          first = ready_.back();
          ready_.pop_back();
        }
      }
      if (first != nullptr) {
        run_with_successors(*first);
      } else {
        std::this_thread::yield();
      }
    }
  }
  void run_with_successors(written_task& first) {
    std::vector<written_task*> mine{&first};
    while (!mine.empty()) {
      written_task& next = *mine.back();
      mine.pop_back();
      use_locations(next);
      next.node->finish([&mine](dependence_node& successor) {
        if (successor.unblock()) {
          mine.push_back(static_cast<written_task*>(successor.whose()));
        }
        successor.release();
      });
      next.node->release();
      done_.fetch_add(1, fg::memory_order_relaxed);  // relaxed: orders nothing that is tested
    }
  }
  void use_locations(const written_task& by) {
    for (const dependence& each : by.uses) {
      std::size_t& value = values_.at(each.address);
      EXPECT_EQ(value, by.seen.at(each.address));
      if (each.how == access::inout) {
        ++value;
      }
    }
  }

  static constexpr std::size_t kTasks = fg::test::kSlow ? 3000 : 30'000;

  std::vector<written_task> tasks_{kTasks};
  dependence_table table_;
  std::array<std::size_t, 3> values_{};
  std::mutex mutex_;
  std::vector<written_task*> ready_;
  fg::atomic<std::size_t> done_{0};
  // After it no thread waits for a task to become ready.
  std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds{30};
};

TEST_F(threaded_dependences, order_what_tasks_write) {
  std::vector<std::thread> runners;
  runners.reserve(2);
  for (int i = 0; i < 2; ++i) {
    runners.emplace_back([this] { run_some(); });
  }
  make_all();
  for (std::thread& each : runners) {
    each.join();
  }
  EXPECT_EQ(done_.load(), kTasks);
}

}  // namespace
