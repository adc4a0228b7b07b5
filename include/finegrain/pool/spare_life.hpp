// What the spare thread of a pool does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/spare_thread.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// On the spare thread: runs the posted tasks that it may run, one after the other, until there is
/// none. Background tasks that have not waited too long are for the own threads; in a pool without
/// own threads they may run while no caller is inside. In the pool's end all may run.
inline void run_posted_tasks(arena& shared, trace_log* trace) noexcept {
  const auto take = [&shared] {
    const bool may_run_all =
        shared.end.has_begun() || (shared.threads == 0 && !shared.callers.any_taken_guess());
    return shared.posted.take(may_run_all ? task_priority::background : task_priority::normal);
  };
  while (pool_task* const task = take()) {
    const auto run = [task, trace] {
      const library_span span{trace, posted_task_span};
      task->run();
    };
    work_as(*shared.workers[shared.number_of_spare()], trace, run);
  }
}

/// On the spare thread, after a call. Returns when no task is left, or another thread looks for it.
inline void answer_call(arena& shared, trace_log* trace) noexcept {
  if (shared.threads != 0) {
    spare_thread::let_others_go_first();
  }
  run_posted_tasks(shared, trace);
  while (shared.posted.has_work_guess() && !shared.watch.any_guess() && !shared.end.has_begun()) {
    spare_thread::let_others_go_first();
    run_posted_tasks(shared, trace);
  }
}

/// On the spare thread, in the pool's end (joint_end): continues to serve posted tasks, for which
/// others may wait. It pushes to no other queue: what it has spawned has run when a task ends.
inline void serve_until_over(spare_thread& self, arena& shared, trace_log* trace) noexcept {
  const auto is_over = [&shared] { return shared.end.is_over(); };
  while (!is_over()) {
    self.end_call();
    run_posted_tasks(shared, trace);
    if (shared.end.rest()) {
      shared.wake_all();
      return;
    }
    self.sleep_until_called(is_over);
    if (!is_over()) {
      spare_thread::let_others_go_first();
      shared.end.work_again();
    }
  }
}

/// The main function of the spare thread of the arena at `where`: runs posted tasks whenever it is
/// called, until the pool has ended.
inline void live_as_spare(spare_thread& self, void* where) noexcept {
  arena& shared = *static_cast<arena*>(where);  // not the pool, which exit() may destroy
  const arena::thread_life told{shared, shared.number_of_spare()};
  trace_log* const trace = trace_of_this_thread(self.name().c_str());
  const auto has_ended = [&shared] { return shared.end.has_begun(); };
  for (self.sleep_until_called(has_ended); !has_ended(); self.sleep_until_called(has_ended)) {
    answer_call(shared, trace);
    self.end_call();
    shared.look_after_posted();
  }
  serve_until_over(self, shared, trace);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
