// SPDX-License-Identifier: Apache-2.0
#include "task_life.hpp"

#include <utility>

#include "control_variables.hpp"
#include "graph_replay.hpp"

namespace fg::omp {
namespace {

void free_block(thread& self, task& gone) noexcept {
  task_memory& memory = *gone.memory;
  const std::uint8_t size_class = gone.size_class;
  if (&memory == &self.memory) {
    memory.give_back(&gone, size_class);
  } else {
    self.returned.add(memory, &gone, size_class);
  }
}

void free_task(thread& self, task& gone) noexcept {
  if (gone.details != nullptr) [[unlikely]] {
    self.side.destroy(*gone.details);
  }
  if (gone.variables != nullptr) [[unlikely]] {
    gone.variables->release();
  }
  free_block(self, gone);
}

// Returns the parent if it is gone, too.
task* subtract_remotely(team& team, task& parent, std::uint64_t what) noexcept {
  // Release: publishes what the child did to a waiting parent. Acquire: for the thread that frees
  // the parent.
  const std::uint64_t left = parent.remote_children.fetch_sub(what, memory_order_acq_rel) - what;
  if (children::none_alive(left)) {
    return &parent;
  }
  team.tell_waiting();  // not through the parent, which may be gone now
  return nullptr;
}

bool runs_here(const thread& self, const task& one) noexcept {
  return one.runner.load(memory_order_relaxed) == self.id;  // the runner's own comparison
}

// Returns the parent if it is gone, too.
task* subtract_from_parent(thread& self, task& parent, std::uint64_t what) noexcept {
  if (runs_here(self, parent)) {
    parent.local_children -= what;
    return nullptr;
  }
  return subtract_remotely(*self.inner->team, parent, what);
}

// Like `subtract_from_parent`, but a parent on another thread is notified later, by `report`.
void keep_back(thread& self, task& parent, std::uint64_t what) noexcept {
  unreported_children& kept = self.unreported;
  if (kept.parent == &parent) {  // checked first, because it takes no line away from the parent
    kept.count += what;
  } else if (runs_here(self, parent)) {
    parent.local_children -= what;
  } else {
    report(self);
    kept = {&parent, self.inner->team, what};
  }
}

void subtract_from_group(thread& self, task& gone) noexcept {
  if (!gone.is(task::kCountedInGroup)) {
    return;
  }
  taskgroup& group = *gone.group;
  if (group.opened_by->runner.load(memory_order_relaxed) == self.id) {
    --group.local;
  } else {
    // Release: pairs with the acquire in is_empty. The group may be gone after this.
    group.remote.fetch_sub(1, memory_order_release);
    self.inner->team->tell_waiting();
  }
}

// Retires a task that has no children left. `what`: how its parent still counts it. This may retire
// the parent, too, as subtracting from it shows.
void retire(thread& self, task& gone, std::uint64_t what) noexcept {
  task& parent = *gone.parent;
  subtract_from_group(self, gone);
  if (gone.is(task::kListed)) [[unlikely]] {
    drop_hold(self, gone);  // of the thread that retires it
  } else {
    free_task(self, gone);
  }
  keep_back(self, parent, what);
}

// Returns the tasks that waited only for this one, linked as in `end`.
task* release_successors(thread& self, dependence_node& node) noexcept {
  pool_task* first = nullptr;
  pool_task** last = &first;
  node.finish([&](dependence_node& next) {
    if (next.unblock()) {
      if (task* const ready = next.whose()) {
        ready->older = nullptr;
        *last = ready;
        last = &ready->older;
      } else {
        self.inner->team->tell_waiting();
      }
    }
    next.release();
  });
  return static_cast<task*>(first);
}

// The same in a replayed taskgraph.
task* release_replayed(graph_replay& run, std::uint32_t number) noexcept {
  pool_task* first = nullptr;
  pool_task** last = &first;
  run.finish(number, [&](task& ready) {
    ready.older = nullptr;
    *last = &ready;
    last = &ready.older;
  });
  return static_cast<task*>(first);
}

task* finish_details(thread& self, task& finished) noexcept {
  task_details& details = *finished.details;
  if (details.replay != nullptr) {
    return release_replayed(*details.replay, details.number);
  }
  if (details.node == nullptr) {
    return nullptr;
  }
  task* const ready = release_successors(self, *details.node);
  details.node->release();
  details.node = nullptr;
  return ready;
}

// Finishes a task that may still have children, after its successors are released. Called by its
// runner.
void finish(thread& self, task& finished) noexcept {
  if (children::none_alive(finished.children_sum()) && !finished.is(task::kListed)) [[likely]] {
    retire(self, finished, children::kBoth);
    return;
  }
  // The parent lives as long as this one is counted as alive.
  static_cast<void>(subtract_from_parent(self, *finished.parent, children::kUnfinished));
  finished.runner.store(task::kEnded, memory_order_relaxed);  // for this thread's own comparisons
  const std::uint64_t local = finished.local_children;
  // Acquire-release: pairs with the other contributions, for the last thread, which frees it.
  if (children::none_alive(finished.remote_children.fetch_add(local, memory_order_acq_rel) +
                           local)) {
    retire(self, finished, children::kAlive);
  }
}

// Called when the body of a detachable task has ended before its event was fulfilled. Counts one
// more child, for the event, to keep the task alive.
void detach(task& detached) noexcept {
  detached.runner.store(task::kEnded, memory_order_relaxed);
  // Release: pairs with the acquire of the thread that frees it.
  detached.remote_children.fetch_add(detached.local_children + children::kAlive,
                                     memory_order_acq_rel);
}

// Finishes a task with details. Returns the tasks made ready, as `end` does.
[[gnu::noinline]] task* finish_detailed(thread& self, task& finished) noexcept {
  if (finished.details->event.has_value()) {
    // The team, and all else that the fulfilling thread needs, is set before `is_second`.
    completion_event& event = *finished.details->event;
    detach(finished);
    return event.is_second() ? finish_detached(self, finished) : nullptr;
  }
  task* const ready = finish_details(self, finished);
  finish(self, finished);
  return ready;
}

}  // namespace

void drop_hold(thread& self, task& held) noexcept {
  // Release: the last use of the block; acquire: all uses precede the next task in it.
  if (held.remote_children.fetch_sub(children::kHold, memory_order_acq_rel) == children::kHold) {
    free_task(self, held);
  }
}

namespace detail {

[[gnu::noinline]] task& make_task_long(thread& self, std::size_t data_bytes,
                                       pool_task::routine_type routine,
                                       std::uint16_t flags) noexcept {
  const std::size_t bytes = sizeof(task) + data_bytes;
  const std::uint8_t size_class = task_memory::class_for(bytes);
  void* const block = self.memory.take(size_class, bytes);
  if (block == nullptr) {
    end_without_memory("a task");
  }
  task& made = fill(self, block, size_class, data_bytes, routine, flags);
  made.variables = self.running->variables;
  if (made.variables != nullptr) {
    made.variables->retain();
    made.flags |= task::kHasMore;
  }
  return made;
}

[[gnu::noinline]] void report_long(thread& self) noexcept {
  do {
    const unreported_children kept = std::exchange(self.unreported, {});
    task* const gone = subtract_remotely(*kept.team, *kept.parent, kept.count);
    if (gone != nullptr) {
      retire(self, *gone, children::kAlive);
    }
  } while (self.unreported.parent != nullptr);
}

[[gnu::noinline]] task* end_long(thread& self, task& one) noexcept {
  if (one.memory == &self.memory) {
    self.memory.stop_running();
  }
  if (one.details != nullptr) [[unlikely]] {
    return finish_detailed(self, one);
  }
  finish(self, one);
  return nullptr;
}

}  // namespace detail

task* finish_detached(thread& self, task& detached) noexcept {
  task* const ready = finish_details(self, detached);
  static_cast<void>(subtract_from_parent(self, *detached.parent, children::kUnfinished));
  if (subtract_from_parent(self, detached, children::kAlive) != nullptr) {
    retire(self, detached, children::kAlive);
  }
  return ready;
}

void fulfil(completion_event& event) noexcept {
  if (event.is_second()) {
    event.team->put_fulfilled(event);
  }
}

}  // namespace fg::omp
