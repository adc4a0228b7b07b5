// Who empties the queues of a worker that no thread is now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/wait.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Queues have one consumer, the worker that they belong to. Its thread may leave it, a caller at
/// the end of `pool::run`, and any thread for as long as it works in another pool; others go on
/// pushing to it. Then one of them at a time may visit the queues in its place.
///
/// ## States of a worker
///
///     present    its thread is the consumer
///     away       nobody is
///     visited    another thread is, for one task
///
///     present -> away      the worker leaves                          a store
///     away    -> visited   a visitor that has seen a task there       a compare-exchange
///     visited -> away      the visitor has taken one, or none         a store
///     away    -> present   the worker comes back                      a compare-exchange
///
/// The worker pays nothing for it while it is there.
///
/// ## Why no task is forgotten
/// A task lies with a worker that is present, which takes it, or hands it to others before it
/// leaves; or it lies with one that is away, and then whoever has pushed it looks there: whenever
/// it finds nothing else, before it sleeps, and before it leaves.
///
///     who pushes, then sleeps or leaves    who leaves
///     P1 push                              L1 hand over what there is
///     P2 full or heavy fence               L2 store: away
///     P3 is it away? then look there       L3 full fence
///                                          L4 a task? then back, and to L1
///
/// P3 misses L2, or L4 misses P1, but not both.
///
/// ## Memory order
/// Each change releases what the consumer so far has written into the queues, and acquires it for
/// the next one.
class absences {
 public:
  /// All are present.
  explicit absences(std::size_t workers) : workers_(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      workers_[worker].next = worker;
    }
  }

  // ---- the worker only ----

  /// True: it is away from now on. False: `has_task()`, and it has not left. Requires: it is
  /// present.
  template <class HasTask>
  bool leave(std::size_t worker, HasTask has_task) noexcept {
    atomic<state>& own = workers_[worker].now;
    own.store(state::away, memory_order_release);  // L2; pairs with the acquire of who is next
    thread_fence(memory_order_seq_cst);            // L3; pairs with P2
    if (!has_task()) {
      return true;
    }
    state expected = state::away;
    // Acquire: as in come_back. Relaxed: a visitor is there, who takes it or looks again.
    return !own.compare_exchange_strong(expected, state::present, memory_order_acquire,
                                        memory_order_relaxed);
  }

  /// Waits for a visitor, which takes one task. Requires: it is away.
  void come_back(std::size_t worker) noexcept {
    spin_wait<> visit;
    state expected = state::away;
    // Acquire: pairs with the release of whoever was the consumer last. Relaxed: not yet.
    while (!workers_[worker].now.compare_exchange_weak(
        expected, state::present, memory_order_acquire, memory_order_relaxed)) {
      expected = state::away;
      visit();
    }
  }

  // ---- any worker, of others ----

  /// A guess: it may leave, or be back.
  [[nodiscard]] bool is_away_guess(std::size_t worker) const noexcept {
    return workers_[worker].now.load(memory_order_relaxed) != state::present;  // carries no data
  }

  /// The task that `take(absent)` takes in the place of the next worker in turn, if that is away
  /// and `has_task(absent)`; else null. `worker`: who asks.
  template <class HasTask, class Take>
  pool_task* visit_next(std::size_t worker, HasTask has_task, Take take) noexcept {
    std::size_t& next = workers_[worker].next;
    next = next + 1 < workers_.size() ? next + 1 : 0;
    return is_away_guess(next) && has_task(next) ? visit(next, take) : nullptr;
  }

  /// The same of any worker, for one that has pushed, and is about to leave. Linear.
  template <class HasTask, class Take>
  pool_task* visit_all(HasTask has_task, Take take) noexcept {
    thread_fence(memory_order_seq_cst);  // P2; pairs with L3
    for (std::size_t absent = 0; absent < workers_.size(); ++absent) {
      spin_wait<> other_visit;
      while (is_away_guess(absent) && has_task(absent)) {  // P3
        if (pool_task* const task = visit(absent, take)) {
          return task;
        }
        other_visit();
      }
    }
    return nullptr;
  }

 private:
  enum class state : std::uint8_t { present, away, visited };

  struct alignas(kCacheLineBytes) absence {
    atomic<state> now{state::present};
    std::size_t next = 0;  // whom it looks at next; its own
  };

  template <class Take>
  pool_task* visit(std::size_t absent, Take take) noexcept {
    atomic<state>& its = workers_[absent].now;
    state expected = state::away;
    // Acquire: pairs with the release of whoever was the consumer last. Relaxed: somebody else is.
    if (!its.compare_exchange_strong(expected, state::visited, memory_order_acquire,
                                     memory_order_relaxed)) {
      return nullptr;
    }
    pool_task* const task = take(absent);
    its.store(state::away, memory_order_release);  // pairs with the acquire of who is next
    return task;
  }

  std::vector<absence> workers_;
};

}  // namespace fg::inline FINEGRAIN_ABI
