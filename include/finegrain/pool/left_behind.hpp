// What a worker leaves to others while its thread works in another pool.
#pragma once

#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/inbox.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The tasks that lay in the queues of a worker whose thread has gone away, until it comes back.
///
/// A worker answers those who ask it for tasks, and helps with what it waits for. While its thread
/// works in another pool, and perhaps waits there, it does neither: somebody may wait for its tasks
/// for whom that pool's wait. So they have to begin without it, as what is posted does: within a
/// millisecond, if need be on the spare thread. The worker takes back what nobody has begun.
///
/// ## Protocol
/// This is itself a task, a *notice*, which is posted while there is something here and nobody has
/// taken the notice:
///
///     not posted -> posted       by whoever puts a task in here, or leaves one here
///     posted     -> not posted   by whoever runs the notice, before it looks
///
/// Both are exchanges that acquire and release. Who finds it posted has put its task here before,
/// and the one who runs the notice, whose exchange reads from that one, finds the task. And who
/// posts it again writes its link, which the one who ran it has read.
class left_behind : private pool_task {
 public:
  explicit left_behind(arena& home) noexcept : home_{home} {
    routine.store(&run_one, memory_order_relaxed);  // the inbox orders it
  }
  left_behind(const left_behind&) = delete;
  left_behind& operator=(const left_behind&) = delete;

  // ---- the worker only ----

  /// Leaves the tasks of a list, linked by `older`, which are taken in its order. Requires: it is
  /// not empty, and `arena::has_threads`.
  void leave(pool_task* list) noexcept {
    while (list != nullptr) {
      tasks_.put(*std::exchange(list, list->older));
    }
    post_notice();
  }

  /// The next one that nobody has begun; null: none.
  pool_task* take_back() noexcept { return tasks_.take(); }

 private:
  // On whichever thread, as a worker that has nothing else.
  static void run_one(pool_task& notice) noexcept {
    auto& self = static_cast<left_behind&>(notice);
    self.is_posted_.exchange(false, memory_order_acq_rel);  // pairs with post_notice
    pool_task* const task = self.tasks_.take();
    if (task == nullptr) {
      return;  // the worker is back
    }
    if (self.tasks_.has_work_guess()) {
      self.post_notice();
    }
    task->run();
  }

  void post_notice() noexcept {
    if (!is_posted_.exchange(true, memory_order_acq_rel)) {  // pairs with run_one
      static_cast<void>(home_.post(*this));
    }
  }

  arena& home_;
  inbox tasks_;
  atomic<bool> is_posted_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI
