// Lets other workers empty the queues of a worker whose thread is away in another pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Presence of each worker, and access to the queues of those that are away.
///
/// A worker's queues have one consumer: the worker itself. Its thread may leave: a caller at the
/// end of `pool::run`, any thread while it works in another pool. Other threads continue to push to
/// its queues. While it is away, one other thread at a time may visit the queues in its place.
///
/// ## States of a worker
///
///     present    its thread is the consumer
///     away       there is no consumer
///     visited    another thread is the consumer, for one task
///
///     present -> away      the worker leaves                          a store
///     away    -> visited   a visitor that has seen a task there       a compare-exchange
///     visited -> away      the visitor has taken one, or none         a store
///     away    -> present   the worker comes back                      a compare-exchange
///
/// A worker that is present pays nothing for this.
///
/// ## Why no task is forgotten
/// Every worker that is present and looks for work also looks there. So a task can be forgotten
/// only if no worker is present: a worker that leaves has to call another thread if a task lies
/// with an absent worker, either itself or one that it has pushed to.
///
///     pushes, then sleeps or leaves        leaves
///     P1 push                              L1 store: away
///     P2 full or heavy fence               L2 full fence
///     P3 is it away, with a task?          L3 does it have a task?
///
/// P3 misses L1, or L3 misses P1, but not both.
///
/// ## Memory order
/// The store that ends a visit or a presence releases what that consumer has written into the
/// queues; the compare-exchange of the next consumer acquires it.
class absences {
 public:
  /// All workers are present.
  explicit absences(std::size_t workers) : workers_(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      workers_[worker].next = worker;
    }
  }

  // ---- the worker only ----

  /// Marks the worker as away. Requires: it is present. A call of `any_task` has to follow.
  void leave(std::size_t worker) noexcept {
    // L1; pairs with the acquire of the next consumer.
    workers_[worker].now.store(state::away, memory_order_release);
    thread_fence(memory_order_seq_cst);  // L2, also P2
  }

  /// Waits for a visitor, which takes at most one task. Requires: the worker is away.
  void come_back(std::size_t worker) noexcept {
    spin_wait<> visit;
    state expected = state::away;
    // Acquire: pairs with the release of the last consumer. Relaxed: a visitor is still there.
    while (!workers_[worker].now.compare_exchange_weak(
        expected, state::present, memory_order_acquire, memory_order_relaxed)) {
      expected = state::away;
      visit();
    }
  }

  // ---- any thread ----

  /// A guess: the worker may leave or come back at any time.
  [[nodiscard]] bool is_away_guess(std::size_t worker) const noexcept {
    return workers_[worker].now.load(memory_order_relaxed) != state::present;  // carries no data
  }

  /// P3 and L3: whether `has_task(absent)` for any worker that is away. Linear.
  template <class HasTask>
  [[nodiscard]] bool any_task(HasTask has_task) const noexcept {
    for (std::size_t absent = 0; absent < workers_.size(); ++absent) {
      if (is_away_guess(absent) && has_task(absent)) {
        return true;
      }
    }
    return false;
  }

  /// The task that `take(absent)` takes in place of an absent worker for which `has_task(absent)`;
  /// null if there is none, or if others are visiting those workers. Linear.
  template <class HasTask, class Take>
  pool_task* visit_any(HasTask has_task, Take take) noexcept {
    for (std::size_t absent = 0; absent < workers_.size(); ++absent) {
      if (pool_task* const task = visit_one(absent, has_task, take)) {
        return task;
      }
    }
    return nullptr;
  }

  /// The same for the next worker in turn only. `worker`: the worker of the calling thread.
  template <class HasTask, class Take>
  pool_task* visit_next(std::size_t worker, HasTask has_task, Take take) noexcept {
    std::size_t& next = workers_[worker].next;
    next = next + 1 < workers_.size() ? next + 1 : 0;
    return visit_one(next, has_task, take);
  }

 private:
  enum class state : std::uint8_t { present, away, visited };

  struct alignas(kCacheLineBytes) absence {
    atomic<state> now{state::present};
    std::size_t next = 0;  // the worker that it visits next; its own
  };

  template <class HasTask, class Take>
  pool_task* visit_one(std::size_t absent, HasTask& has_task, Take& take) noexcept {
    if (!is_away_guess(absent) || !has_task(absent)) {
      return nullptr;
    }
    atomic<state>& its = workers_[absent].now;
    state expected = state::away;
    // Acquire: pairs with the last consumer's release. Relaxed: another thread is the consumer.
    if (!its.compare_exchange_strong(expected, state::visited, memory_order_acquire,
                                     memory_order_relaxed)) {
      return nullptr;
    }
    pool_task* const task = take(absent);
    its.store(state::away, memory_order_release);  // pairs with the acquire of the next consumer
    return task;
  }

  std::vector<absence> workers_;
};

/// Base of the policies that never push to an absent worker. A worker therefore knows when it
/// leaves whether it leaves tasks behind, and a visitor that finds none left records that.
class absent_owners : public balancer {
 public:
  bool leave(std::size_t worker) noexcept final {
    const bool has_task = has_own_task(worker);
    // Relaxed: the thread called for the task sees it through that call; see also `absences`.
    has_left_[worker].store(has_task, memory_order_relaxed);
    absences_.leave(worker);
    return has_task;
  }
  void come_back(std::size_t worker) noexcept final { absences_.come_back(worker); }

  pool_task* pop_of_absent() noexcept final {
    return absences_.visit_any([this](std::size_t absent) { return has_left(absent); },
                               [this](std::size_t absent) {
                                 pool_task* const task = pop_own(absent);
                                 if (task == nullptr) {
                                   has_left_[absent].store(false,
                                                           memory_order_relaxed);  // as above
                                 }
                                 return task;
                               });
  }
  [[nodiscard]] bool any_task_of_absent() const noexcept final {
    return absences_.any_task([this](std::size_t absent) { return has_left(absent); });
  }

 protected:
  explicit absent_owners(std::size_t workers) : absences_{workers}, has_left_(workers) {}

 private:
  // Called by the worker or in its place: whether it has tasks of any region, and one of them.
  [[nodiscard]] virtual bool has_own_task(std::size_t worker) noexcept = 0;
  virtual pool_task* pop_own(std::size_t worker) noexcept = 0;

  [[nodiscard]] bool has_left(std::size_t absent) const noexcept {
    return has_left_[absent].load(memory_order_relaxed);  // as in leave
  }

  absences absences_;
  std::vector<atomic<bool>> has_left_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
