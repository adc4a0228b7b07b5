// Workers over a balancing policy, which use it as worker.hpp does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "checker/scenario.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "watched_task.hpp"

/// `tasks` tasks will run. A sleeper is woken in time, or waits forever.
template <class Policy>
class watched_team {
 public:
  watched_team(Policy& policy, fg::detail::idle_workers& idle, int tasks)
      : policy_{policy}, idle_{idle}, left_{tasks} {}

  void push(std::size_t worker, watched_task& task) {
    if (!policy_.push(worker, task.write())) {
      run(task);
    }
  }

  void push_reserved(std::size_t worker, watched_task& task) {
    if (!policy_.push_reserved(worker, task.write())) {
      push(worker, task);
    }
  }

  /// Runs what is in the worker's own queues.
  void run_own(std::size_t worker) {
    while (fg::pool_task* const task = policy_.pop(worker)) {
      run(*task);
    }
  }

  /// Runs what is in the queues of workers that are away.
  void run_of_absent() {
    while (fg::pool_task* const task = policy_.pop_of_absent()) {
      run(*task);
    }
  }

  /// Checks every queue once. True: it found a task, and ran it.
  bool look(std::size_t worker) {
    fg::pool_task* task = policy_.pop(worker);
    if (task == nullptr) {
      task = policy_.steal(worker);
    }
    if (task != nullptr) {
      run(*task);
    }
    return task != nullptr;
  }

  /// Sleeps until there may be a task, or all have run.
  void sleep(std::size_t worker) {
    idle_.sleep(
        worker, true, [&] { policy_.announce_sleep(worker); },
        [&] { return is_done() || policy_.has_work_guess(worker); });
  }

  /// No thread may sleep any more, as if all tasks had run.
  void end_sleep() {
    left_.store(0, fg::memory_order_release);
    tell_waiting();
  }

  [[nodiscard]] bool is_done() const { return left_.load(fg::memory_order_acquire) == 0; }

 private:
  void run(fg::pool_task& task) {
    take(task);
    left_.fetch_sub(1, fg::memory_order_release);
    tell_waiting();
  }

  void tell_waiting() {
    if (idle_.any_after_publishing()) {
      idle_.wake_waiting();
    }
  }

  Policy& policy_;
  fg::detail::idle_workers& idle_;
  fg::atomic<int> left_;
};
