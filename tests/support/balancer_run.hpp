// A pool's workers without the pool: threads that run trees of tasks through a balancer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::test {

/// Runs complete trees of tasks, each of which pushes its children, and counts how often each runs.
/// Workers that find nothing sleep by the pool's rules, so a missing wake-up shows as a hang.
class balancer_run {
 public:
  balancer_run(detail::balancer& policy, detail::idle_workers& idle, std::size_t workers)
      : policy_{policy}, idle_{idle}, workers_{workers} {}

  /// One tree for each worker that spawns, the first `producers` of them.
  void run(std::size_t producers, std::size_t tasks_a_tree) {
    run({.first = 0, .last = producers, .trees = 1}, tasks_a_tree);
  }

  /// Tasks without children: `tasks_each` of each worker in [first, last), one after the other.
  void run_flat(std::size_t first, std::size_t last, std::size_t tasks_each) {
    run({.first = first, .last = last, .trees = tasks_each}, 1);
  }

 private:
  struct production {
    std::size_t first;  // of the workers that spawn
    std::size_t last;
    std::size_t trees;  // per worker
  };

  void run(const production& plan, std::size_t tasks_a_tree) {
    tasks_a_tree_ = tasks_a_tree;
    tasks_.clear();
    for (std::size_t i = 0; i < (plan.last - plan.first) * plan.trees * tasks_a_tree; ++i) {
      tasks_.emplace_back(*this, i);
    }
    left_.store(tasks_.size());
    std::vector<std::thread> threads;
    threads.reserve(workers_);
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      threads.emplace_back([this, worker, &plan] { serve(worker, plan); });
    }
    for (std::thread& each : threads) {
      each.join();
    }
    for (const counted_task& each : tasks_) {
      EXPECT_EQ(each.runs.load(), 1U) << each.number;
    }
  }

  struct counted_task : pool_task {
    counted_task(balancer_run& home, std::size_t its_number) : run_{home}, number{its_number} {
      routine.store(
          [](pool_task& self) noexcept {
            auto& task = static_cast<counted_task&>(self);
            task.run_.execute(task);
          },
          memory_order_relaxed);  // the policy's push releases it
    }
    balancer_run& run_;
    std::size_t number;
    std::size_t payload = 0;  // plain: ThreadSanitizer checks that pushing publishes it
    atomic<std::uint32_t> runs{0};
  };

  static std::size_t& current_worker() {
    thread_local std::size_t worker = 0;
    return worker;
  }

  void push(counted_task& task) {
    task.payload = task.number + 1;
    if (!policy_.push(current_worker(), task)) {
      task.run();
    }
  }

  void execute(counted_task& task) {
    EXPECT_EQ(task.payload, task.number + 1);
    task.runs.fetch_add(1);
    const std::size_t first = task.number / tasks_a_tree_ * tasks_a_tree_;
    const std::size_t within = task.number - first;
    for (std::size_t child = within * kChildren + 1; child <= within * kChildren + kChildren;
         ++child) {
      if (child < tasks_a_tree_) {
        push(tasks_[first + child]);
      }
    }
    if (left_.fetch_sub(1) == 1) {
      idle_.wake_all();
    }
  }

  void produce(std::size_t worker, const production& plan) {
    const std::size_t first = (worker - plan.first) * plan.trees;
    for (std::size_t tree = first; tree < first + plan.trees; ++tree) {
      push(tasks_[tree * tasks_a_tree_]);
      if (tree % kTreesBetweenHelping == 0) {
        help(worker);
      }
    }
  }

  bool help(std::size_t worker) {
    pool_task* task = policy_.pop(worker);
    if (task == nullptr) {
      task = policy_.steal(worker);
    }
    if (task != nullptr) {
      task->run();
    }
    return task != nullptr;
  }

  void serve(std::size_t worker, const production& plan) {
    current_worker() = worker;
    if (worker >= plan.first && worker < plan.last) {
      produce(worker, plan);
    }
    std::size_t looks = 0;
    while (left_.load() != 0) {
      if (help(worker)) {
        looks = 0;
      } else if (++looks == kLooksBeforeSleep) {
        idle_.sleep(worker, true,
                    [&] { return left_.load() == 0 || policy_.has_work_guess(worker); });
        looks = 0;
      }
    }
  }

  static constexpr std::size_t kChildren = 3;
  static constexpr std::size_t kTreesBetweenHelping = 3;
  static constexpr std::size_t kLooksBeforeSleep = 50;

  detail::balancer& policy_;
  detail::idle_workers& idle_;
  std::size_t workers_;
  std::size_t tasks_a_tree_ = 1;
  std::deque<counted_task> tasks_;
  atomic<std::size_t> left_{0};
};

/// Whether a task that worker 0 pushes, and does not take back, wakes a sleeping worker 1. Takes at
/// most ten seconds, and only if it fails.
inline bool push_wakes_sleeper(detail::balancer& policy, detail::idle_workers& idle) {
  pool_task task{};
  atomic<bool> taken{false};
  atomic<bool> give_up{false};
  atomic<bool> looked{false};
  std::thread thief{[&] {
    while (!taken.load() && !give_up.load()) {
      if (policy.pop(1) == &task || policy.steal(1) == &task) {
        taken.store(true);
        break;
      }
      idle.sleep(1, false, [&] {
        looked.store(true);
        return give_up.load() || policy.has_work_guess(1);
      });
    }
  }};
  while (!looked.load()) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{5});  // most likely asleep now
  EXPECT_TRUE(policy.push(0, task));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!taken.load() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const bool woken = taken.load();
  give_up.store(true);
  idle.wake_all();
  thief.join();
  return woken;
}

}  // namespace fg::test
