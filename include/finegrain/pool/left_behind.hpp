// Announces tasks of workers whose threads are away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A *notice* that tasks lie with workers that are away: itself a task, which is posted.
///
/// A worker answers those who ask it for tasks, and helps with what it waits for. While its thread
/// works in another pool, and perhaps waits there, it does neither: somebody may wait for its tasks
/// for whom that pool's wait. So they have to begin without it, as what is posted does: within a
/// millisecond, if need be on the spare thread. They stay in its queues meanwhile (`absences`), and
/// are its own again when it comes back.
///
/// ## Protocol
///
///     not posted -> posted       by whoever has left tasks behind
///     posted     -> not posted   by whoever runs the notice, before it looks for them
///
/// Both are exchanges that acquire and release. Who finds it posted has left its tasks before, and
/// the one who runs the notice, whose exchange reads from that one, finds them. And who posts it
/// again writes its link, which the one who ran it has read.
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

  /// To be called when a task lies with a worker that is away. Any thread. Nothing happens where
  /// there is no thread that could come.
  void post_notice() noexcept {
    // Pairs with run_one.
    if (home_.has_threads() && !is_posted_.exchange(true, memory_order_acq_rel)) {
      static_cast<void>(home_.post(*this));
    }
  }

 private:
  // On whichever thread, as a worker that has nothing else.
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
