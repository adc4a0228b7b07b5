// The check before a queue is timed refuses queues that are wrong.
// SPDX-License-Identifier: Apache-2.0
#include "programs/handoff/task_proof.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace {

// Runs its tasks at `wait`, on the calling thread, after `Fault` has modified them.
template <class Fault>
class faulty_queue {
 public:
  explicit faulty_queue(int /*assistant_cpu*/) {}

  void submit(void (*routine)(void*), void* argument) { tasks_.emplace_back(routine, argument); }
  void wait() {
    Fault::apply(tasks_);
    for (const auto& [routine, argument] : tasks_) {
      routine(argument);
    }
    tasks_.clear();
  }

 private:
  std::vector<std::pair<void (*)(void*), void*>> tasks_;
};

struct no_fault {
  static void apply(auto& /*tasks*/) {}
};

struct loses_one {
  static void apply(auto& tasks) {
    if (!tasks.empty()) {
      tasks.pop_back();
    }
  }
};

struct runs_one_twice {
  static void apply(auto& tasks) {
    if (!tasks.empty()) {
      tasks.push_back(tasks.back());
    }
  }
};

struct reverses {
  static void apply(auto& tasks) { std::ranges::reverse(tasks); }
};

// Tasks submitted before one `wait` run at the next one, the last of all at the wait after it.
struct waits_for_nothing {
  static void apply(auto& tasks) {
    static auto late = std::remove_reference_t<decltype(tasks)>{};
    std::swap(tasks, late);
  }
};

constexpr std::size_t kBurst = 8;

template <class Fault>
void prove(int cpus_away = 0) {
  const int here = fg::current_cpu();
  std::exception_ptr refusal;
  fg::test::on_thread([&] {
    fg::test::restrict_this_thread_to(here);
    faulty_queue<Fault> queue{here};
    try {
      fg::bench::require_tasks_in_order(queue, kBurst, here + cpus_away);
    } catch (...) {
      refusal = std::current_exception();
    }
  });
  if (refusal) {
    std::rethrow_exception(refusal);
  }
}

TEST(task_proof, accepts_a_queue_that_runs_each_task_once_and_in_order) {
  EXPECT_NO_THROW(prove<no_fault>());
}

TEST(task_proof, refuses_a_lost_task) { EXPECT_THROW(prove<loses_one>(), fg::bench::wrong_result); }

TEST(task_proof, refuses_a_task_that_runs_twice) {
  EXPECT_THROW(prove<runs_one_twice>(), fg::bench::wrong_result);
}

TEST(task_proof, refuses_another_order) {
  EXPECT_THROW(prove<reverses>(), fg::bench::wrong_result);
}

TEST(task_proof, refuses_a_wait_that_returns_too_early) {
  EXPECT_THROW(prove<waits_for_nothing>(), fg::bench::wrong_result);
}

TEST(task_proof, refuses_another_cpu) { EXPECT_THROW(prove<no_fault>(1), fg::bench::wrong_result); }

}  // namespace
