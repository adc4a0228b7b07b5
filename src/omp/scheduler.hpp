// Submitting tasks to the team, running them, and waiting for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task_life.hpp"

namespace fg::omp {

namespace detail {
bool runs_next(thread& self) noexcept;
void submit_long(thread& self, task& ready, deputised_deque::push_result so_far) noexcept;
void submit_all(thread& self, task& first) noexcept;
void wait_for_unfinished_children(thread& self) noexcept;
}  // namespace detail

/// Returns false if the thread shares its tasks; nothing else needs to be checked then.
inline bool may_be_throttled(const thread& self) noexcept {
  return self.throttling.may_run(self.memory.pending());
}

/// Whether `submit` would run a task immediately: in a team of one, in a final task, and while the
/// thread throttles. Throttling begins and ends here. Owner thread only.
inline bool runs_at_once(thread& self) noexcept {
  return self.inner->at_once || self.running->is(task::kFinal) ||
         (may_be_throttled(self) && (self.throttling.is_amid_step() || detail::runs_next(self)));
}

/// Submits the tasks that `end` has returned to the team. They are not run here, because they would
/// pile up on the stack.
[[gnu::always_inline]] inline void submit_successors(thread& self, task* first) noexcept {
  if (first != nullptr) [[unlikely]] {
    detail::submit_all(self, *first);
  }
}

/// Runs a task immediately, suspending the running one.
[[gnu::always_inline]] inline void run(thread& self, task& one) noexcept {
  task* const suspended = begin(self, one);
  one.run();
  submit_successors(self, end(self, one, suspended));
}

/// Submits a ready task to the team, or runs it immediately.
[[gnu::always_inline]] inline void submit(thread& self, task& ready) noexcept {
  // A thread without a deque may have to run it immediately, too. A final parent's child is final.
  deputised_deque* const own = self.inner->deque;
  auto so_far = deputised_deque::push_result::refused;
  if (own == nullptr || ready.is(task::kFinal) || ready.priority != 0 || may_be_throttled(self) ||
      (so_far = own->push_and_look(ready)) != deputised_deque::push_result::pushed) [[unlikely]] {
    detail::submit_long(self, ready, so_far);
  }
}

/// taskwait: waits for the children of the running task.
inline void wait_for_children(thread& self) noexcept {
  if (!children::all_finished(self.running->children_sum())) {
    detail::wait_for_unfinished_children(self);
  }
  self.throttling.start_afresh(self.tasks);
}

/// taskwait with a depend clause: waits until nothing blocks `node`, which has been linked.
void wait_for(thread& self, dependence_node& node) noexcept;

/// Waits until the group is empty.
void wait_for(thread& self, const taskgroup& group) noexcept;

/// taskyield: runs one other task, if there is one that may run here.
void yield(thread& self) noexcept;

/// Runs tasks until all that the thread has created in its innermost region, and their descendants,
/// are gone. Requires: the thread runs its implicit task.
void drain(thread& self) noexcept;

/// Runs tasks of the region until `done(of)`, which must read with acquire what other threads
/// release. Who makes it true wakes the region's team (`team::tell_waiting`).
void help_until(thread& self, bool (*done)(const void* of), const void* of) noexcept;

/// Barrier of the innermost region's team. When it returns, all tasks of the team are done.
void barrier(thread& self) noexcept;

/// Ends the thread's part of its innermost region: completes all its tasks, and those of the other
/// threads if the region expects tasks; then calls `thread::leave`.
void end_part(thread& self) noexcept;

}  // namespace fg::omp
