// Announces tasks of workers whose threads are away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A *notice* that tasks lie with absent workers: itself a task, which is posted.
///
/// A worker answers workers that ask for its tasks, and helps with what it waits for. While its
/// thread works in another pool, and perhaps waits there, it does neither, and the wait in the
/// other pool may depend on a thread that waits for its tasks. So they have to begin without it,
/// like posted tasks: within a millisecond, if necessary on the spare thread. They stay in its
/// queues meanwhile (`absences`), and are its own again when it comes back.
///
/// ## Protocol
///
///     not posted -> posted       by the thread that has left tasks behind
///     posted     -> not posted   by the thread that runs the notice, before it looks for them
///
/// Both are exchanges that acquire and release. A thread that finds the notice posted has left its
/// tasks before; the thread that runs the notice reads from that exchange, and so finds them. A
/// thread that posts it again writes its link, which the thread that ran it has read before.
///
/// `Home` is the arena.
template <class Home>
class left_behind : private pool_task {
 public:
  explicit left_behind(Home& home) noexcept : home_{home} {
    routine.store(&run_one, memory_order_relaxed);  // the inbox orders it
  }
  left_behind(const left_behind&) = delete;
  left_behind& operator=(const left_behind&) = delete;

  /// Call when a task lies with an absent worker. Any thread. Does nothing if no thread could come.
  void post_notice() noexcept {
    // Pairs with run_one.
    if (home_.has_threads() && !is_posted_.exchange(true, memory_order_acq_rel)) {
      static_cast<void>(home_.post(*this));
    }
  }

 private:
  // Runs on any thread, as a worker that has nothing else to do.
  static void run_one(pool_task& notice) noexcept {
    auto& self = static_cast<left_behind&>(notice);
    self.is_posted_.exchange(false, memory_order_acq_rel);  // pairs with post_notice
    pool_task* const task = self.home_.policy->pop_of_absent();
    if (self.home_.policy->any_task_of_absent()) {
      self.post_notice();
    }
    if (task != nullptr) {
      task->run();
    }
  }

  Home& home_;
  atomic<bool> is_posted_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
