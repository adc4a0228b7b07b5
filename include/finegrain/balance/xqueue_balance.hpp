// What the balancing policies over an XQueue have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/deputies.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/xqueue.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// An xqueue that deals tasks out in turn and wakes the workers that receive them.
///
/// Source: X-OpenMP (2024), section 3: the static round-robin that all its policies begin with.
class dealing_xqueue : public xqueue {
 public:
  /// `whom`: the workers whose queues others may empty; `standing_in`: their deputies. `idle` and
  /// `standing_in` outlive the queues. Throws std::bad_alloc.
  dealing_xqueue(std::size_t workers, idle_workers& idle, std::size_t ring_capacity, deputised whom,
                 const deputies& standing_in)
      : xqueue{workers, ring_capacity}, idle_{idle}, whom_{whom}, standing_in_{standing_in} {
    if (whom == deputised::everybody) {
      // The producer may then be busy for long, so it gives its first task to another worker.
      for (std::size_t producer = 0; producer < workers; ++producer) {
        next_target(producer);
      }
    }
  }

  /// Pushes to the next worker in turn and wakes it. False: that ring is full, and the turn is used
  /// up. The producer only.
  // Inlined: as a call it took 2 to 9 instructions more, where a push and a pop together take 124
  // to 223 (clang 19, x86-64, one and two workers).
  FINEGRAIN_ALWAYS_INLINE bool deal(std::size_t producer, pool_task& task) noexcept {
    const std::size_t target = next_target(producer);
    if (!push(producer, target, task)) {
      return false;
    }
    if (target != producer || whom_ == deputised::everybody) {
      wake(target);
    }
    return true;
  }

  /// Wakes `worker` if it sleeps, after something was published for it. Also wakes another worker
  /// if that may act in its place, because `worker` may be busy or is away. Any thread.
  void wake(std::size_t worker) noexcept {
    if (idle_.any_after_publishing()) {
      idle_.wake(worker);
      if (whom_ == deputised::everybody || standing_in_.is_away_guess(worker)) {
        idle_.wake_one();
      }
    }
  }

 private:
  idle_workers& idle_;
  deputised whom_;
  const deputies& standing_in_;
};

/// Base of the policies that deal tasks out; empties the queues of workers that are away or busy.
class xqueue_balance : public balancer {
 public:
  [[nodiscard]] std::size_t queue_capacity() const noexcept final {
    return queues_.ring_capacity();
  }

  void settle(std::size_t worker) noexcept final { queues_.settle(worker); }

  bool leave(std::size_t worker) noexcept final {
    deputies_.leave(worker);
    return any_task_of_absent();
  }
  void come_back(std::size_t worker) noexcept final { deputies_.come_back(worker); }

  pool_task* pop_of_absent() noexcept final {
    return deputies_.absent().visit_any([&](std::size_t absent) { return has_task(absent); },
                                        [&](std::size_t absent) { return take(absent); });
  }
  [[nodiscard]] bool any_task_of_absent() const noexcept final {
    return deputies_.absent().any_task([&](std::size_t absent) { return has_task(absent); });
  }

 protected:
  /// `idle` outlives the policy. Throws std::bad_alloc.
  xqueue_balance(std::size_t workers, idle_workers& idle, std::size_t ring_capacity, deputised whom)
      : deputies_{workers, whom}, queues_{workers, idle, ring_capacity, whom, deputies_} {}

  /// Whether this worker had a task a moment ago. Any thread.
  [[nodiscard]] virtual bool has_task(std::size_t worker) const noexcept {
    return queues_.has_task_guess(worker);
  }
  /// A task of this worker, null if there is none. Requires: the caller owns its queues.
  virtual pool_task* take(std::size_t worker) noexcept { return queues_.pop(worker); }

  deputies deputies_;
  dealing_xqueue queues_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
