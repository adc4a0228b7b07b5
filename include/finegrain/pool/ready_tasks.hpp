// What a thread has made ready to run: one task for itself, the others for whoever takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// For tasks that make others ready, such as the nodes of a graph. The thread that has run one goes on
/// with the first that this has made ready, so what comes after each other stays together; the others
/// go to its queue. Tasks that no queue takes are kept here.
class ready_tasks {
 public:
  /// `run_taken` is what a worker calls that takes one of them from a queue.
  ready_tasks(worker& here, pool_task::routine_type run_taken) noexcept
      : here_{here}, run_taken_{run_taken} {}

  void add(pool_task& ready) noexcept {
    if (next_ == nullptr) {
      next_ = &ready;
    } else {
      offer(ready);
    }
  }

  /// The task that the thread is to run now; null: there is none.
  [[nodiscard]] pool_task* first() noexcept {
    if (next_ == nullptr && refused_ != nullptr) {
      next_ = std::exchange(refused_, refused_->older);
    }
    return std::exchange(next_, nullptr);
  }

  /// The same, after it has run one. Others, if they ask, get tasks before: a thread that only goes on
  /// would keep them waiting.
  [[nodiscard]] pool_task* next() noexcept {
    if (is_asked_for_others()) [[unlikely]] {
      answer();
    }
    return first();
  }

 private:
  void offer(pool_task& ready) noexcept {
    // Relaxed: the push that publishes the task releases it.
    ready.routine.store(run_taken_, memory_order_relaxed);
    if (!here_.try_push(ready) && here_.push(ready) == worker::pushed::nowhere) {
      ready.older = refused_;
      refused_ = &ready;
    }
  }

  // A worker asks, and there are older tasks here than the next one.
  [[nodiscard]] bool is_asked_for_others() const noexcept {
    return next_ != nullptr && here_.may_reserve() && here_.wants_tasks() &&
           here_.deque().has_task();
  }

  // A push answers. Afterwards the others may have taken everything, the next one as well.
  FINEGRAIN_NOINLINE void answer() noexcept {
    // Relaxed: the push that publishes the task releases it.
    next_->routine.store(run_taken_, memory_order_relaxed);
    if (here_.push(*next_) != worker::pushed::nowhere && !here_.take_back_at_once(*next_)) {
      next_ = nullptr;
    }
  }

  worker& here_;
  pool_task::routine_type run_taken_;
  pool_task* next_ = nullptr;
  pool_task* refused_ = nullptr;  // linked
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
