// Handing tasks to the team, and waiting for them.
#pragma once

#include "task_life.hpp"

namespace fg::omp {

namespace detail {
bool runs_next(thread& self) noexcept;
void submit_long(thread& self, task& ready, deputised_deque::push_result so_far) noexcept;
void wait_for_unfinished_children(thread& self) noexcept;
}  // namespace detail

/// False: the thread shares its tasks, and nothing has to be asked.
inline bool may_be_throttled(const thread& self) noexcept {
  return self.throttling.may_run(self.memory.pending());
}

/// Whether `submit` would run a task now: in a team of one, in a final task, and while the thread
/// throttles. Also the place where throttling begins and ends. The thread itself only.
inline bool runs_at_once(thread& self) noexcept {
  return self.inner->at_once || self.running->is(task::kFinal) ||
         (may_be_throttled(self) && (self.throttling.is_amid_step() || detail::runs_next(self)));
}

/// Leaves a task that nothing blocks to the team, or runs it at once.
[[gnu::always_inline]] inline void submit(thread& self, task& ready) noexcept {
  // Without a deque of its own it may have to run at once, too. A final parent's child is final.
  deputised_deque* const own = self.inner->deque;
  auto so_far = deputised_deque::push_result::refused;
  if (own == nullptr || ready.is(task::kFinal) || ready.priority != 0 || may_be_throttled(self) ||
      (so_far = own->push_and_look(ready)) != deputised_deque::push_result::pushed) [[unlikely]] {
    detail::submit_long(self, ready, so_far);
  }
}

/// The same for one that became ready when another one finished: it is never run here, where tasks
/// would pile up on the stack.
void submit_successor(thread& self, task& ready) noexcept;

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

/// The barrier of the innermost region's team, with all tasks done behind it.
void barrier(thread& self) noexcept;

/// Ends the thread's part of its innermost region: all its tasks are done, those of the others too
/// if the region expects tasks; then `thread::leave`.
void end_part(thread& self) noexcept;

}  // namespace fg::omp
