// Creates, begins and ends tasks, and notifies their parents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "settings.hpp"
#include "task.hpp"
#include "task_details.hpp"
#include "taskgroup.hpp"
#include "thread.hpp"

// What every task goes through is inline; what few tasks need is in task_life.cpp.
namespace fg::omp {

namespace detail {
task* end_long(thread& self, task& one) noexcept;
void report_long(thread& self) noexcept;

// Constructs a task in a block.
inline task& fill(thread& self, void* block, std::uint8_t size_class, std::size_t data_bytes,
                  pool_task::routine_type routine, std::uint16_t flags) noexcept {
  return *::new (block) task{*self.running, self.memory, size_class, data_bytes, routine, flags};
}

task& make_task_long(thread& self, std::size_t data_bytes, pool_task::routine_type routine,
                     std::uint16_t flags) noexcept;

}  // namespace detail

/// Creates a task with `data_bytes` of data, a child of the running task, if a recycled block is
/// available. Otherwise returns null without any effect: see `make_task`.
inline task* make_task_at_hand(thread& self, std::size_t data_bytes,
                               pool_task::routine_type routine, std::uint16_t flags) noexcept {
  const std::uint8_t size_class = task_memory::class_for(sizeof(task) + data_bytes);
  if (self.running->variables != nullptr) [[unlikely]] {
    return nullptr;
  }
  void* const block = self.memory.take_at_hand(size_class);
  return block != nullptr ? &detail::fill(self, block, size_class, data_bytes, routine, flags)
                          : nullptr;
}

/// Like `make_task_at_hand`, but allocates if necessary. The task is not yet counted, nor visible
/// to another thread. Ends the program if memory runs out.
inline task& make_task(thread& self, std::size_t data_bytes, pool_task::routine_type routine,
                       std::uint16_t flags) noexcept {
  task* const made = make_task_at_hand(self, data_bytes, routine, flags);
  return made != nullptr ? *made : detail::make_task_long(self, data_bytes, routine, flags);
}

/// Counts `child` as one of the running task's. Called before it is submitted or begun.
inline void count_child(thread& self, task& child) noexcept {
  task& parent = *self.running;
  parent.local_children += children::kBoth;
  if (parent.group != nullptr && parent.group->opened_by == &parent) [[unlikely]] {
    child.flags |= task::kCountedInGroup;
    ++parent.group->local;
  }
  ++self.tasks;
}

/// Makes `one` the running task, before its body. Returns the task that was running.
[[gnu::always_inline]] inline task* begin(thread& self, task& one) noexcept {
  task* const suspended = self.running;
  self.running = &one;
  one.runner.store(self.id, memory_order_relaxed);  // for this thread's own comparisons
  frame& here = *self.inner;
  if (here.recalls) [[unlikely]] {
    one.listed_below = static_cast<std::uint32_t>(self.listed.size());
  }
  if (one.memory == &self.memory) [[likely]] {
    self.memory.begin_running();
  }
  if (one.variables != here.applied) [[unlikely]] {
    self.apply(one.variables);
  }
  return suspended;
}
/// Ends `one` after its body and resumes `suspended`. Returns the first of the tasks that this has
/// made ready, linked by `older` in creation order, or null.
[[nodiscard, gnu::always_inline]] inline task* end(thread& self, task& one,
                                                   task* suspended) noexcept {
  self.running = suspended;
  if (suspended->variables != self.inner->applied) [[unlikely]] {
    self.apply(suspended->variables);
  }
  task& parent = *one.parent;
  constexpr std::uint16_t kMore = task::kCountedInGroup | task::kListed | task::kHasMore;
  // Created, run and finished on one thread, with nothing left: no read-modify-write.
  if (one.memory == &self.memory && (one.flags & kMore) == 0 &&
      parent.runner.load(memory_order_relaxed) == self.id &&
      children::none_alive(one.children_sum())) [[likely]] {
    self.memory.give_back_running(&one, one.size_class);
    parent.local_children -= children::kBoth;
    return nullptr;
  }
  return detail::end_long(self, one);
}

/// Reports to a parent the children that have finished on this thread and were kept back (see
/// `unreported_children`). Called before the thread runs a task that is no child of that parent,
/// idles, or returns to the program: the parent may be waiting for them.
inline void report(thread& self) noexcept {
  if (self.unreported.parent != nullptr) {
    detail::report_long(self);
  }
}

/// Fulfils the event of a detachable task. Any thread, OpenMP's or not; signal handlers.
void fulfil(completion_event& event) noexcept;

/// Finishes a task whose event was fulfilled after its body had ended. Any thread of the team.
/// Returns the tasks made ready, as `end` does.
[[nodiscard]] task* finish_detached(thread& self, task& detached) noexcept;

/// Drops one hold on a task that its creator can recall (see recall.hpp), and frees the block if
/// that was the last reference. Any thread.
void drop_hold(thread& self, task& held) noexcept;

}  // namespace fg::omp
