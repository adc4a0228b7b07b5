// OMPi's policy: short FIFO queues, combining dequeues, throttling when a queue is full.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "finegrain/balance/absences.hpp"
#include "finegrain/balance/combining_queue.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The tasking of the OMPi compiler: Agathos, Kallimanis, Dimakopoulos, "Speeding up OpenMP
/// tasking" (Euro-Par 2012). Breadth first: a new task goes into its worker's bounded queue. A
/// worker that has nothing else to do takes the oldest task of its own queue, then goes through the
/// other queues in the order of their numbers, beginning after its own.
///
/// A worker whose queue was full *throttles*: its tasks run at once, depth first, until at least 30
/// % of the queue are free again. `throttled` belongs to the worker; the only race is with threads
/// that take tasks meanwhile, and leaving the mode late is allowed.
///
/// ## Departures from the paper
/// * Descriptors: the paper's creator keeps its tasks in a PENDING_QUEUE and searches it for those
///   whose executed flag is set. Here `task_blocks` returns them through a stack: also to the
///   creator's pool, but without the search.
/// * The paper's taskwait waits until the thread's whole PENDING_QUEUE is executed. The waiting
///   task may itself be in it, below others on the same stack, and would wait for itself. Our waits
///   are for the task's own children (worker.hpp, task_group.hpp).
/// * A throttling worker does not check its queue before each task, but only when enough tasks can
///   have been taken, or when a worker sleeps: a lone producer of small tasks gets 1.15 to 1.5
///   times as many done (two workers; a line between them takes 90 and 340 ns there and back; EPYC
///   9004).
/// * A taker makes two loads before it enters CC-Synch, so that checking an empty queue costs no
///   read-modify-write.
/// * Idle workers sleep; each task wakes one of them.
class combining_balance final : public absent_owners {
 public:
  /// The paper's default.
  static constexpr std::size_t kDefaultCapacity = 24;

  /// `capacity`: of each queue; 0: every task runs at once. `idle` outlives the policy. Throws
  /// std::bad_alloc.
  combining_balance(std::size_t workers, idle_workers& idle,
                    std::size_t capacity = kDefaultCapacity)
      : absent_owners{workers},
        idle_{idle},
        capacity_{capacity},
        relieved_at_{(capacity * kRelievedAtPercentFree + 99) / 100} {
    states_.reserve(workers);
    for (std::size_t worker = 0; worker < workers; ++worker) {
      states_.push_back(std::make_unique<worker_state>(workers, capacity));
    }
  }

  [[nodiscard]] std::size_t queue_capacity() const noexcept override { return capacity_; }

  void settle(std::size_t worker) noexcept override {
    FINEGRAIN_TRY { states_[worker] = std::make_unique<worker_state>(states_.size(), capacity_); }
    // NOLINTNEXTLINE(bugprone-empty-catch): the existing queue suffices
    FINEGRAIN_CATCH(const std::bad_alloc&) {}
  }

  /// False: the queue is full, or was full and the worker still throttles. Constant time, no
  /// read-modify-write unless a worker sleeps.
  bool push(std::size_t worker, pool_task& task) noexcept override {
    worker_state& own = *states_[worker];
    if (own.throttled && !is_relieved(own)) [[unlikely]] {
      return false;
    }
    if (!own.queue.try_put(task)) [[unlikely]] {
      throttle(own);
      return false;
    }
    wake_one();
    return true;
  }

  pool_task* pop(std::size_t worker) noexcept override {
    worker_state& own = *states_[worker];
    own.inline_runs = 0;  // it makes room itself
    return own.queue.has_task_guess() ? own.queue.take(worker) : nullptr;
  }

  /// Tries every other queue once.
  pool_task* steal(std::size_t worker) noexcept override {
    for (std::size_t i = 1; i < states_.size(); ++i) {
      combining_queue& victim = states_[(worker + i) % states_.size()]->queue;
      if (!victim.has_task_guess()) {
        continue;
      }
      if (pool_task* const stolen = victim.take(worker)) {
        if (victim.has_task_guess()) {
          wake_one();  // the worker woken for the next task may have been this thief
        }
        return stolen;
      }
    }
    return nullptr;
  }

  bool has_work_guess(std::size_t /*worker*/) noexcept override { return any_task_guess(); }

  [[nodiscard]] bool any_task_guess() const noexcept override {
    return std::any_of(states_.begin(), states_.end(),
                       [](const auto& each) { return each->queue.has_task_guess(); });
  }

 private:
  [[nodiscard]] bool has_own_task(std::size_t worker) noexcept override {
    return states_[worker]->queue.has_task_guess();
  }
  pool_task* pop_own(std::size_t worker) noexcept override { return pop(worker); }

  static constexpr std::size_t kRelievedAtPercentFree = 30;  // section 2.1
  static constexpr std::size_t kMostInlineRuns = 8;  // free slots required at the default capacity

  struct alignas(kCacheLineBytes) worker_state {
    worker_state(std::size_t workers, std::size_t capacity) : queue{workers, capacity} {}
    combining_queue queue;
    bool throttled = false;       // used by the worker only, like the next one
    std::size_t inline_runs = 0;  // tasks to refuse before it looks at its queue again
  };

  [[nodiscard]] bool is_relieved(worker_state& own) const noexcept {
    // Sleepers have found nothing: tasks are longer than before, or the queue has been empty.
    if (own.inline_runs != 0 && !idle_.any_guess()) {
      --own.inline_runs;
      return false;
    }
    return looks_relieved(own);
  }

  // These two are out of line: in `push` they cost every task ten instructions of saved registers.

  FINEGRAIN_NOINLINE bool looks_relieved(worker_state& own) const noexcept {
    const std::size_t free = own.queue.free_slots();
    own.inline_runs = inline_runs_after_refusal(free);
    own.throttled = free < relieved_at_;
    return !own.throttled;
  }

  FINEGRAIN_NOINLINE void throttle(worker_state& own) const noexcept {
    own.throttled = true;
    own.inline_runs = inline_runs_after_refusal(0);
  }

  // Tasks that the throttling worker runs itself until the others have made room, if they take as
  // fast as it runs, minus the one just refused; few enough to be a small loss if they do not. Each
  // check fetches a line that the takers write to.
  [[nodiscard]] std::size_t inline_runs_after_refusal(std::size_t free) const noexcept {
    const std::size_t takers = std::max<std::size_t>(states_.size() - 1, 1);
    const std::size_t missing = relieved_at_ > free ? relieved_at_ - free : 0;
    return std::clamp<std::size_t>(missing / takers, 1, kMostInlineRuns) - 1;
  }

  void wake_one() noexcept {
    if (idle_.any_after_publishing()) {
      idle_.wake_one();
    }
  }

  idle_workers& idle_;
  std::size_t capacity_;
  std::size_t relieved_at_;  // free slots
  std::vector<std::unique_ptr<worker_state>> states_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
