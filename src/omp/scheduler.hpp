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

/// False: the thread shares its tasks, and nothing else has to be asked.
inline bool may_be_throttled(const thread& self) noexcept {
  return self.throttling.may_run(self.memory.pending());
}

/// Whether `submit` would run a task now: in a team of one, in a final task, and while the thread
/// throttles. Throttling begins and ends here. The thread itself only.
inline bool runs_at_once(thread& self) noexcept {
  return self.inner->at_once || self.running->is(task::kFinal) ||
         (may_be_throttled(self) && (self.throttling.is_amid_step() || detail::runs_next(self)));
}

/// Leaves the tasks that `end` has returned to the team. They are not run here, where tasks would
/// pile up on the stack.
[[gnu::always_inline]] inline void submit_successors(thread& self, task* first) noexcept {
  if (first != nullptr) [[unlikely]] {
    detail::submit_all(self, *first);
  }
}

/// Runs a task now, while the running one is suspended.
[[gnu::always_inline]] inline void run(thread& self, task& one) noexcept {
  task* const suspended = begin(self, one);
  one.run();
  submit_successors(self, end(self, one, suspended));
}

/// Leaves a task that nothing blocks to the team, or runs it at once.
[[gnu::always_inline]] inline void submit(thread& self, task& ready) noexcept {
  // A thread without a deque may have to run it at once, too. A final parent's child is final.
  deputised_deque* const own = self.inner->deque;
  auto so_far = deputised_deque::push_result::refused;
  if (own == nullptr || ready.is(task::kFinal) || ready.priority != 0 || may_be_throttled(self) ||
      (so_far = own->push_and_look(ready)) != deputised_deque::push_result::pushed) [[unlikely]] {
    detail::submit_long(self, ready, so_far);
  }
}

/// Waits for the children of the running task: taskwait.
inline void wait_for_children(thread& self) noexcept {
  if (!children::all_finished(self.running->children_sum())) {
    detail::wait_for_unfinished_children(self);
  }
  self.throttling.start_afresh(self.tasks);
}

/// Waits until nothing blocks `node`, which has been linked: taskwait depend.
void wait_for(thread& self, dependence_node& node) noexcept;

/// Waits until the group is empty.
void wait_for(thread& self, const taskgroup& group) noexcept;

/// Runs one other task, if there is one that may run here: taskyield.
void yield(thread& self) noexcept;

/// Runs tasks until all that the thread has made in its innermost region, and their descendants,
/// are gone. Requires: it runs its implicit task.
void drain(thread& self) noexcept;

/// The barrier of the innermost region's team, after which all its tasks are done.
void barrier(thread& self) noexcept;

/// Ends the thread's part of its innermost region: does all its tasks, and those of the others if
/// the region expects tasks; then `thread::leave`.
void end_part(thread& self) noexcept;

}  // namespace fg::omp
