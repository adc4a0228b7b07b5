// What the spare thread of a pool does.
#pragma once

#include "finegrain/core/trace.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/spare_thread.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::detail {

/// On the spare thread: runs the oldest posted tasks, one after the other, until there is none.
inline void run_posted_tasks(arena& shared, trace_log* trace) noexcept {
  while (pool_task* const task = shared.posted.take()) {
    const auto run = [task, trace] {
      const library_span span{trace, posted_task_span};
      task->run();
    };
    work_as(*shared.workers[shared.number_of_spare()], trace, run);
  }
}

/// The life of the spare thread of the arena at `where`: it runs what is posted whenever it is
/// called, until the pool's end begins; what is left then, or comes, is for the others.
inline void live_as_spare(spare_thread& self, void* where) noexcept {
  arena& shared = *static_cast<arena*>(where);  // not the pool, which exit() may destroy
  const arena::thread_life told{shared, shared.number_of_spare()};
  trace_log* const trace = trace_of_this_thread(self.name().c_str());
  const auto has_ended = [&shared] { return shared.end.has_begun(); };
  for (self.sleep_until_called(has_ended); !has_ended(); self.sleep_until_called(has_ended)) {
    if (shared.threads != 0) {
      spare_thread::let_others_go_first();
    }
    run_posted_tasks(shared, trace);
    self.end_call();
    shared.look_after_posted();
  }
  if (shared.end.rest()) {
    shared.wake_all();
  }
}

}  // namespace fg::detail
