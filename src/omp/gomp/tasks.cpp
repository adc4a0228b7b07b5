// GNU's entry points for tasks: decoding only.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <span>
#include <vector>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "gomp.hpp"
#include "make_task.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::gomp {

bool detail::decide() noexcept {
  const bool cancels = !is_passive() && settings::instance().cancels() && !owns_regions();
  const bool passes_on = is_passive() || cancels;
  if (not_ours.set(passes_on) && cancels) {
    say("GOMP's entry points are passed on: OMP_CANCELLATION is on");
  }
  return passes_on;
}

// Two formats: [n, nout, addresses: out first, then in], or
// [0, n, nout, nmutexinoutset, nin, addresses in this order, then depobjs].
std::span<const dependence> items_of(thread& self, void* const* depend) {
  const auto number = [depend](std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(depend[i]);
  };
  std::vector<dependence>& items = self.items;
  items.clear();
  const bool is_long = number(0) == 0;
  const std::uintptr_t all = number(is_long ? 1 : 0);
  if (all == 0) {
    return items;  // iterators without an iteration: a short array that begins like a long one
  }
  const std::uintptr_t written = is_long ? number(2) + number(3) : number(1);
  const std::uintptr_t direct = is_long ? written + number(4) : all;
  const std::size_t first = is_long ? 5 : 2;
  for (std::uintptr_t i = 0; i < direct; ++i) {
    items.push_back({number(first + i), i < written ? access::inout : access::in});
  }
  constexpr std::uintptr_t kIn = 1;
  constexpr std::uintptr_t kInoutset = 5;
  for (std::uintptr_t i = direct; i < all; ++i) {
    const auto* const object = static_cast<const std::uintptr_t*>(depend[first + i]);
    items.push_back({object[0], object[1] == kIn         ? access::in
                                : object[1] == kInoutset ? access::inoutset
                                                         : access::inout});
  }
  return items;
}

namespace {

void submit_with_clauses(thread& self, const task_source& source, unsigned flags,
                         void* const* depend, int priority, void* detach) noexcept {
  task& made = make(self, source, flags);
  if ((flags & kPriority) != 0) {
    made.priority = priority_of(priority);
  }
  if ((flags & kDetach) != 0) {
    completion_event& event = make_event(self, made);
    *static_cast<completion_event**>(detach) = &event;
    *static_cast<completion_event**>(data_of(made)) = &event;
  }
  if ((flags & kDepend) != 0) {
    submit_depending(self, made, items_of(self, depend));
  } else {
    count_child(self, made);
    submit(self, made);
  }
}

// Like `run`, but without the call through the task's routine.
void run_here(thread& self, task& made) noexcept {
  const task_head head = head_of(made);
  task* const suspended = begin(self, made);
  if (!is_dropped(made)) [[likely]] {
    head.routine(head.data);
  }
  submit_successors(self, end(self, made, suspended));
}

// Slow paths of the entry points below; not noexcept, as in kmpc/tasks.cpp.

[[gnu::noinline]] void task_long(body routine, void* data, copy_constructor copy, long bytes,
                                 long alignment, boolean if_clause, unsigned flags, void** depend,
                                 int priority, void* detach) {
  if (is_not_ours()) {
    return FINEGRAIN_OMP_NEXT(GOMP_task)(routine, data, copy, bytes, alignment, if_clause, flags,
                                         depend, priority, detach);
  }
  thread& self = thread::here();
  const task_source source{routine, data, copy, static_cast<std::size_t>(bytes),
                           static_cast<std::size_t>(alignment)};
  if (copy != nullptr && is_dropped(*self.running)) {
    return;  // before anything is copied
  }
  constexpr unsigned kMoreThanThat = kDepend | kPriority | kDetach;
  if ((flags & kMoreThanThat) == 0 && (!if_clause || runs_at_once(self))) {
    run_now(self, source, flags);
  } else if (!if_clause && (flags & kDetach) == 0) {
    if ((flags & kDepend) != 0) {
      wait_for_dependences(self, items_of(self, depend));
    }
    run_now(self, source, flags);
  } else {
    submit_with_clauses(self, source, flags, depend, priority, detach);
  }
}

[[gnu::noinline]] void taskwait_long() {
  if (is_not_ours()) {
    return FINEGRAIN_OMP_NEXT(GOMP_taskwait)();
  }
  wait_for_children(thread::here());
}

}  // namespace

// Emitted for a task construct; returns when the task has been submitted with a copy of its data,
// or has run.
FINEGRAIN_OMP_ENTRY void GOMP_task(body routine, void* data, copy_constructor copy, long bytes,
                                   long alignment, boolean if_clause, unsigned flags, void** depend,
                                   int priority, void* detach) {
  thread* const self = is_not_ours() ? nullptr : thread::known();
  constexpr unsigned kClauses = kFinalTask | kDepend | kPriority | kDetach;
  const bool is_plain = self != nullptr && if_clause && copy == nullptr && (flags & kClauses) == 0;
  if (is_plain) [[likely]] {
    const bool at_once = runs_at_once(*self);
    task* const made = at_once ? make_around(*self, routine, data)
                               : make_at_hand(*self, routine, data, static_cast<std::size_t>(bytes),
                                              static_cast<std::size_t>(alignment));
    if (made != nullptr) [[likely]] {
      count_child(*self, *made);
      at_once ? run_here(*self, *made) : submit(*self, *made);
      return;
    }
  }
  task_long(routine, data, copy, bytes, alignment, if_clause, flags, depend, priority, detach);
}

// Emitted for a taskwait construct; returns when the running task's children have finished.
FINEGRAIN_OMP_ENTRY void GOMP_taskwait() {
  thread* const self = is_not_ours() ? nullptr : thread::known();
  if (self == nullptr) [[unlikely]] {
    taskwait_long();
    return;
  }
  wait_for_children(*self);
}

// Emitted for a taskwait construct with a depend clause; returns when the siblings that it depends
// on have finished.
FINEGRAIN_OMP_ENTRY void GOMP_taskwait_depend(void** depend) {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskwait_depend)(depend);
  }
  thread& self = thread::here();
  wait_for_dependences(self, items_of(self, depend));
}

// Emitted for a taskyield construct; returns after at most one other task.
FINEGRAIN_OMP_ENTRY void GOMP_taskyield() {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskyield)();
  }
  yield(thread::here());
}

// Emitted at the beginning of a taskgroup construct; returns with the group open.
FINEGRAIN_OMP_ENTRY void GOMP_taskgroup_start() {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskgroup_start)();
  }
  open_taskgroup(thread::here());
}

// Emitted at the end of a taskgroup construct; returns when its tasks and their descendants are
// done.
FINEGRAIN_OMP_ENTRY void GOMP_taskgroup_end() {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskgroup_end)();
  }
  close_taskgroup(thread::here());
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
