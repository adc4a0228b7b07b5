// The interface of a balancing policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Distributes the tasks of one pool among its workers. Each policy in balance/ is one
/// implementation. Workers are numbered 0 to workers - 1; each number is used by one thread at a
/// time.
///
/// A policy guarantees: a task that `push` accepted is returned by `pop` or `steal` exactly once,
/// and what was written before the push is visible to the thread that takes it. As long as every
/// worker that waits or idles keeps calling `pop` and `steal`, each accepted task is taken after
/// finitely many calls. After an accepted push the policy wakes a sleeping worker that can take the
/// task.
class balancer {
 public:
  balancer() = default;
  balancer(const balancer&) = delete;
  balancer& operator=(const balancer&) = delete;
  virtual ~balancer() = default;

  /// Number of tasks that each queue holds; 0: the queues grow.
  [[nodiscard]] virtual std::size_t queue_capacity() const noexcept { return 0; }

  /// Replaces the queues that this worker takes from by new ones, allocated on the worker's own
  /// thread so that their memory lies on its CPU's NUMA node. At most once per worker, before any
  /// call other than `settle` of other workers. If memory is short, the old queues stay.
  virtual void settle(std::size_t /*worker*/) noexcept {}

  /// Puts `task` where a worker will find it. False: there is no room; the caller has to run it.
  virtual bool push(std::size_t worker, pool_task& task) noexcept = 0;

  /// The same for a task that is short, and best run by this worker: others leave it there for some
  /// microseconds. False: call `push`.
  virtual bool push_reserved(std::size_t /*worker*/, pool_task& /*task*/) noexcept { return false; }

  /// A task from the worker's own queues, null if there is none. Also answers requests of other
  /// workers: called whenever the worker is between two tasks.
  virtual pool_task* pop(std::size_t worker) noexcept = 0;

  /// The worker's thread leaves: until `come_back` it calls nothing else here. True: a thread has
  /// to call `pop_of_absent`, because a task lies with an absent worker. At first all workers are
  /// present. Linear in the workers.
  virtual bool leave(std::size_t /*worker*/) noexcept { return false; }
  virtual void come_back(std::size_t /*worker*/) noexcept {}

  /// A task of any region from the queues of an absent worker; null if there is none, or if others
  /// are about to take it. Any thread. Linear in the workers.
  virtual pool_task* pop_of_absent() noexcept { return nullptr; }
  /// Whether there was such a task a moment ago. Any thread.
  [[nodiscard]] virtual bool any_task_of_absent() const noexcept { return false; }

  /// Answers requests of other workers, for a worker that is between two tasks and does not pop.
  /// True: another worker found nothing and has asked since the last answer. X-OpenMP's policies
  /// answer only in `push` and `pop`, others have no requests: these do nothing and return false.
  virtual bool answer_requests(std::size_t /*worker*/) noexcept { return false; }

  /// One attempt to get a task from other workers, for a worker that waits within a task. The task
  /// is of the same region if the policy distinguishes regions (task/pool_task.hpp). Null: nothing
  /// yet; call `pop` before the next attempt.
  virtual pool_task* steal(std::size_t worker) noexcept = 0;

  /// The same for a worker between two tasks: a task of any region, which becomes the worker's
  /// region. Requires: `pop` has found nothing.
  virtual pool_task* steal_any(std::size_t worker) noexcept { return steal(worker); }

  /// Whether the worker has seen tasks since the last call that others have reserved.
  virtual bool has_seen_reserved(std::size_t /*worker*/) noexcept { return false; }

  /// Called between the worker's registration as a sleeper and the heavy fence before its last
  /// look: from now on a push that would not look for sleepers has to. See `idle_workers::sleep`.
  virtual void announce_sleep(std::size_t /*worker*/) noexcept {}

  /// The last look before the worker sleeps: true if `pop` or `steal` might succeed. If other
  /// workers have to be asked first, it asks them.
  virtual bool has_work_guess(std::size_t worker) noexcept = 0;

  /// The same for `steal_any`.
  virtual bool has_any_work_guess(std::size_t worker) noexcept { return has_work_guess(worker); }

  /// Whether any worker's queue held a task a moment ago. A task that the calling thread has pushed
  /// and no thread has taken is always seen. Any thread. Sends no requests.
  [[nodiscard]] virtual bool any_task_guess() const noexcept = 0;
};

/// Holds no tasks: for a worker that has no number in the policy and runs every task at once.
class no_balancer final : public balancer {
 public:
  bool push(std::size_t /*worker*/, pool_task& /*task*/) noexcept override { return false; }
  pool_task* pop(std::size_t /*worker*/) noexcept override { return nullptr; }
  pool_task* steal(std::size_t /*worker*/) noexcept override { return nullptr; }
  bool has_work_guess(std::size_t /*worker*/) noexcept override { return false; }
  [[nodiscard]] bool any_task_guess() const noexcept override { return false; }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
