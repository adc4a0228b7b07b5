// The interface of a balancing policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Distributes the tasks of one pool among its workers: one implementation a policy, in
/// balance/. Workers are known by their numbers, 0 to workers - 1; each number is one thread
/// at a time.
///
/// A policy guarantees: a task that `push` accepted comes out of one `pop` or `steal` exactly once,
/// and what was written before the push is visible to whoever takes it. As long as every worker
/// that waits or idles keeps calling `pop` and `steal`, each accepted task is taken after finitely
/// many calls. After an accepted push it wakes a sleeping worker that can take the task.
class balancer {
 public:
  balancer() = default;
  balancer(const balancer&) = delete;
  balancer& operator=(const balancer&) = delete;
  virtual ~balancer() = default;

  /// Tasks that each of its queues holds; 0: they grow.
  [[nodiscard]] virtual std::size_t queue_capacity() const noexcept { return 0; }

  /// Replaces the queues that this worker takes from by ones whose memory is made here: on the
  /// worker's own thread, it lies on that CPU's NUMA node. At most once a worker, before any other
  /// call but those to other workers' `settle`. Where memory is short the old ones stay.
  virtual void settle(std::size_t /*worker*/) noexcept {}

  /// Puts `task` where a worker will find it. False: there is no room, the caller has to run it.
  virtual bool push(std::size_t worker, pool_task& task) noexcept = 0;

  /// A task from the worker's own queues, null if there is none. Also the place where it answers
  /// others' requests: called whenever the worker is between two tasks.
  virtual pool_task* pop(std::size_t worker) noexcept = 0;

  /// The worker's thread goes away: until `come_back` it calls nothing else here. True: somebody
  /// has to call `pop_of_absent`, for a task lies with a worker that is away. At first all are
  /// there. Linear in the workers.
  virtual bool leave(std::size_t /*worker*/) noexcept { return false; }
  virtual void come_back(std::size_t /*worker*/) noexcept {}

  /// A task in the queues of a worker that is away, of any region; null if there is none, or others
  /// are about to take it. Any thread. Linear in the workers.
  virtual pool_task* pop_of_absent() noexcept { return nullptr; }
  /// Whether there was one a moment ago. Any thread.
  [[nodiscard]] virtual bool any_task_of_absent() const noexcept { return false; }

  /// Answers others' requests for a worker between two tasks that it does not pop. True: another
  /// worker has asked since the last answer, because it found nothing. X-OpenMP's policies answer
  /// in `push` and `pop` alone, and others have no requests: they do nothing, and say false.
  virtual bool answer_requests(std::size_t /*worker*/) noexcept { return false; }

  /// One attempt to get a task from others, for a worker that waits within a task: of the same
  /// region, where the policy tells regions apart (task/pool_task.hpp). Null: nothing yet; call
  /// `pop` again before.
  virtual pool_task* steal(std::size_t worker) noexcept = 0;

  /// The same for a worker between two tasks: of any region, which becomes the worker's. Requires:
  /// `pop` has found nothing.
  virtual pool_task* steal_any(std::size_t worker) noexcept { return steal(worker); }

  /// Between the worker's entry among those who sleep and the heavy fence ahead of its last look:
  /// from now on whoever pushes in a way that does not look for sleepers has to. See
  /// `idle_workers::sleep`.
  virtual void announce_sleep(std::size_t /*worker*/) noexcept {}

  /// A last look before the worker sleeps: true when `pop` or `steal` might succeed. Where others
  /// would have to be asked first, it asks them.
  virtual bool has_work_guess(std::size_t worker) noexcept = 0;

  /// The same for `steal_any`.
  virtual bool has_any_work_guess(std::size_t worker) noexcept { return has_work_guess(worker); }

  /// Whether any queue, of whichever worker, held a task a moment ago; what the calling thread has
  /// pushed, and nobody has taken, is seen for certain. Any thread. Asks nobody.
  [[nodiscard]] virtual bool any_task_guess() const noexcept = 0;
};

/// Takes no task and has none: of a worker for which the policy has no place, who runs all at once.
class no_balancer final : public balancer {
 public:
  bool push(std::size_t /*worker*/, pool_task& /*task*/) noexcept override { return false; }
  pool_task* pop(std::size_t /*worker*/) noexcept override { return nullptr; }
  pool_task* steal(std::size_t /*worker*/) noexcept override { return nullptr; }
  bool has_work_guess(std::size_t /*worker*/) noexcept override { return false; }
  [[nodiscard]] bool any_task_guess() const noexcept override { return false; }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
