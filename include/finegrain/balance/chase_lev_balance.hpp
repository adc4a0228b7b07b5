// The classic policy: depth first on a lock-free deque per worker; thieves take the oldest task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "finegrain/balance/absences.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/victim_choice.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/queue/chase_lev_deque.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Random work stealing as in most task libraries (Blumofe, Leiserson, "Scheduling multithreaded
/// computations by work stealing", JACM 1999, over `chase_lev_deque`): the baseline. Every pop pays
/// a full barrier, even without thieves.
class chase_lev_balance final : public absent_owners {
 public:
  /// `capacity`: initial capacity of each deque, a power of two. `idle` outlives the policy. Throws
  /// std::bad_alloc.
  chase_lev_balance(std::size_t workers, idle_workers& idle,
                    std::size_t capacity = chase_lev_deque::kDefaultCapacity)
      : absent_owners{workers}, idle_{idle}, capacity_{capacity}, states_(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      states_[worker].deque = std::make_unique<chase_lev_deque>(capacity);
      states_[worker].choice = victim_choice{worker};
    }
  }

  void settle(std::size_t worker) noexcept override {
    FINEGRAIN_TRY { states_[worker].deque = std::make_unique<chase_lev_deque>(capacity_); }
    // NOLINTNEXTLINE(bugprone-empty-catch): the existing deque suffices
    FINEGRAIN_CATCH(const std::bad_alloc&) {}
  }

  /// False only if the deque cannot grow because memory is short.
  bool push(std::size_t worker, pool_task& task) noexcept override {
    if (!states_[worker].deque->push(task)) {
      return false;
    }
    wake_one();
    return true;
  }

  pool_task* pop(std::size_t worker) noexcept override { return states_[worker].deque->pop(); }

  /// Tries one victim, and the same one again as long as it has tasks.
  pool_task* steal(std::size_t worker) noexcept override {
    if (states_.size() < 2) {
      return nullptr;
    }
    victim_choice& choice = states_[worker].choice;
    chase_lev_deque& victim = *states_[choice.current()].deque;
    pool_task* const stolen = victim.steal();
    if (stolen == nullptr) {
      choice.another(states_.size());
    } else if (victim.has_task_guess()) {
      wake_one();  // the worker woken for the next task may have been this thief
    }
    return stolen;
  }

  bool has_work_guess(std::size_t /*worker*/) noexcept override { return any_task_guess(); }

  [[nodiscard]] bool any_task_guess() const noexcept override {
    return std::any_of(states_.begin(), states_.end(),
                       [](const worker_state& each) { return each.deque->has_task_guess(); });
  }

 private:
  [[nodiscard]] bool has_own_task(std::size_t worker) noexcept override {
    return states_[worker].deque->has_task_guess();
  }
  pool_task* pop_own(std::size_t worker) noexcept override { return pop(worker); }

  // The thieves read the pointer; their victim writes its choice whenever it finds nothing itself.
  struct alignas(kCacheLineBytes) worker_state {
    std::unique_ptr<chase_lev_deque> deque;
    alignas(kCacheLineBytes) victim_choice choice;
  };

  void wake_one() noexcept {
    if (idle_.any_after_publishing()) {
      idle_.wake_one();
    }
  }

  idle_workers& idle_;
  std::size_t capacity_;
  std::vector<worker_state> states_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
