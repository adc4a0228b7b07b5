// LLVM's entry points for tasks: decoding only.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "../takeover.hpp"
#include "helper_tasks.hpp"
#include "kmpc.hpp"
#include "taskgraph.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
// NOLINTBEGIN(readability-avoid-return-with-void-value): tail calls
namespace fg::omp::kmpc {
namespace {

task_data& data_of(task& one) noexcept { return *static_cast<task_data*>(one.data()); }

// Returns null for a task of the runtime below: see helper_tasks.hpp.
task* own_task(task_data* data) noexcept {
  task& made = task::of_data(data);
  return made.mark == task::kMark ? &made : nullptr;
}

// An untied task submits itself for each of its parts; they run here, one after another.
void finish_body(task& one, std::int32_t gtid) noexcept {
  task_data& data = data_of(one);
  while (one.is(task::kResumed)) {
    one.flags &= static_cast<std::uint16_t>(~task::kResumed);
    data.routine(gtid, &data);
  }
  if (one.is(task::kHasDestructors)) {
    data.destructors.routine(gtid, &data);
  }
}

// The routine of every task of this ABI.
void run_body(pool_task& queued) noexcept {
  auto& one = static_cast<task&>(queued);
  task_data& data = data_of(one);
  if (!is_dropped(one) && data.routine != nullptr) [[likely]] {
    data.routine(thread::known()->inner->runtime_id, &data);
  }
  if ((one.flags & (task::kResumed | task::kHasDestructors)) != 0) [[unlikely]] {
    finish_body(one, thread::known()->inner->runtime_id);
  }
}

std::uint16_t flags_of(std::int32_t given) noexcept {
  int flags = (given & kFinalTask) != 0 ? task::kFinal : 0;
  flags |= (given & kDestructors) != 0 ? task::kHasDestructors : 0;
  flags |= (given & kPriority) != 0 ? task::kHasPriority : 0;
  return static_cast<std::uint16_t>(flags);
}

// Reads the priority, which compiled code has written into the data since it got the task.
void take_priority(task& made) noexcept {
  if (made.is(task::kHasPriority)) {
    static const int most = std::min(FINEGRAIN_OMP_NEXT(omp_get_max_task_priority)(), 127);
    made.priority = static_cast<std::int8_t>(std::clamp(data_of(made).priority.value, 0, most));
  }
}

[[gnu::always_inline]] inline void submit_counted(thread& self, task& made) noexcept {
  count_child(self, made);
  submit(self, made);
}

access access_of(const depend_info& item) noexcept {
  constexpr std::uint8_t kIn = 1;
  constexpr std::uint8_t kInoutset = 8;
  constexpr std::uint8_t kAllMemory = 0x80;
  constexpr std::intptr_t kAllMemoryAddress = -1;
  if ((item.flags & kAllMemory) != 0 || item.base == kAllMemoryAddress) {
    return access::all_memory;
  }
  return item.flags == kIn         ? access::in
         : item.flags == kInoutset ? access::inoutset
                                   : access::inout;
}

// Joins the two lists of a call, omitting null addresses. Valid until the thread reads the next
// ones. Not inline, because its stack frame would keep the entry points from passing calls on by a
// tail call.
[[gnu::noinline]] std::span<const dependence> items_of(thread& self, std::int32_t count,
                                                       const depend_info* list,
                                                       std::int32_t more_count,
                                                       const depend_info* more_list) {
  std::vector<dependence>& items = self.items;
  items.clear();
  const auto append = [&items](std::int32_t size, const depend_info* from) {
    for (std::int32_t i = 0; i < size; ++i) {
      const access how = access_of(from[i]);
      if (from[i].base != 0 || how == access::all_memory) {
        items.push_back({static_cast<std::uintptr_t>(from[i].base), how});
      }
    }
  };
  append(count, list);
  append(more_count, more_list);
  return items;
}

void do_nothing(pool_task& /*empty*/) noexcept {}

// Not inline for the same reason.
[[gnu::noinline]] void taskwait_with_dependences(std::int32_t gtid, std::int32_t count,
                                                 const depend_info* list, std::int32_t more_count,
                                                 const depend_info* more_list,
                                                 bool is_nowait) noexcept {
  thread& self = thread::here();
  self.inner->runtime_id = gtid;
  const std::span<const dependence> items = items_of(self, count, list, more_count, more_list);
  if (is_nowait) {
    task& empty = make_task(self, 0, &do_nothing, 0);
    record_task(self, empty, items);
    submit_depending(self, empty, items);
  } else {
    record(self, [&](task_record& into) { into.add_wait_for(items); });
    wait_for_dependences(self, items);
  }
}

// The layout of the data after a task: the compiler's record with the copied variables, then
// pointers to the shared ones.
struct body_layout {
  std::size_t data_bytes;
  std::size_t shared_bytes;

  [[nodiscard]] std::size_t shared_at() const noexcept {
    constexpr std::size_t kAlignment = alignof(void*);
    return (data_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return shared_at() + shared_bytes; }

  task_data* fill(task& made, task_entry routine) const noexcept {
    task_data& data = data_of(made);
    data.shareds = shared_bytes != 0 ? static_cast<std::byte*>(made.data()) + shared_at() : nullptr;
    data.routine = routine;
    data.part_id = 0;
    return &data;
  }
};

// Slow paths of the entry points below, whose fast path makes no call. Not noexcept, which would
// keep calls from being passed on by a tail call, which shows a tool the caller.

[[gnu::noinline]] task_data* alloc_long(ident* where, std::int32_t gtid, std::int32_t flags,
                                        std::size_t data_bytes, std::size_t shared_bytes,
                                        task_entry routine) {
  if (is_passive() || ((flags & kHiddenHelper) != 0 && has_helper_threads())) {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_task_alloc)(where, gtid, flags, data_bytes, shared_bytes,
                                                     routine);
  }
  thread& self = thread::here();
  const body_layout layout{data_bytes, shared_bytes};
  self.inner->runtime_id = gtid;
  return layout.fill(make_task(self, layout.bytes(), &run_body, flags_of(flags)), routine);
}

[[gnu::noinline]] std::int32_t task_long(ident* where, std::int32_t gtid, task_data* data) {
  if (is_passive()) {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_task)(where, gtid, data);
  }
  thread& self = thread::here();
  task* const made = own_task(data);
  if (made == nullptr) {
    self.inner->runtime_id = gtid;
    record(self, [](task_record& into) { into.give_up(); });
    submit_helper_task(self, data, {});
  } else if (made == self.running) {
    made->flags |= task::kResumed;
  } else {
    take_priority(*made);
    record_task(self, *made, {});
    submit_counted(self, *made);
  }
  return 0;
}

[[gnu::noinline]] std::int32_t taskwait_long(ident* where, std::int32_t gtid) {
  if (is_passive()) {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_taskwait)(where, gtid);
  }
  thread& self = thread::here();
  record(self, [](task_record& into) { into.add_wait(); });
  wait_for_children(self);
  return 0;
}

}  // namespace

// Emitted for a task or taskloop construct; returns the record of a new task with room for its
// data, which the caller fills in.
FINEGRAIN_OMP_ENTRY task_data* __kmpc_omp_task_alloc(ident* where, std::int32_t gtid,
                                                     std::int32_t flags, std::size_t data_bytes,
                                                     std::size_t shared_bytes, task_entry routine) {
  thread* const self = thread::known();
  if (self == nullptr || (flags & kHiddenHelper) != 0) [[unlikely]] {
    return alloc_long(where, gtid, flags, data_bytes, shared_bytes, routine);
  }
  const body_layout layout{data_bytes, shared_bytes};
  task* const made = make_task_at_hand(*self, layout.bytes(), &run_body, flags_of(flags));
  if (made == nullptr) [[unlikely]] {
    return alloc_long(where, gtid, flags, data_bytes, shared_bytes, routine);
  }
  self->inner->runtime_id = gtid;
  return layout.fill(*made, routine);
}

// Emitted for a target construct with nowait; returns as __kmpc_omp_task_alloc does.
FINEGRAIN_OMP_ENTRY task_data* __kmpc_omp_target_task_alloc(
    ident* where, std::int32_t gtid, std::int32_t flags, std::size_t data_bytes,
    std::size_t shared_bytes, task_entry routine, std::int64_t device) {
  if (is_passive() || has_helper_threads()) {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_target_task_alloc)(where, gtid, flags, data_bytes,
                                                            shared_bytes, routine, device);
  }
  return __kmpc_omp_task_alloc(where, gtid, flags, data_bytes, shared_bytes, routine);
}

// Called by the offloading library before it suspends the running task; returns whether the task
// can be resumed, by threads of its team.
FINEGRAIN_OMP_ENTRY bool __kmpc_omp_has_task_team(std::int32_t gtid) {
  if (is_passive() || thread::here().running->is(task::kImplicit)) {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_has_task_team)(gtid);
  }
  return false;
}

// Emitted when the data of a task are filled in, and by an untied task at the end of each part
// except the last; returns 0 with the task submitted or done.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_task(ident* where, std::int32_t gtid, task_data* data) {
  thread* const self = thread::known();
  task* const made = own_task(data);
  if (self == nullptr || made == nullptr || made == self->running ||
      (made->flags & (task::kHasPriority | task::kRecords)) != 0) [[unlikely]] {
    return task_long(where, gtid, data);
  }
  submit_counted(*self, *made);
  return 0;
}

// Not emitted by clang, but part of the ABI, for a task in parts; returns as __kmpc_omp_task does.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_task_parts(ident* where, std::int32_t gtid,
                                                       task_data* data) {
  return __kmpc_omp_task(where, gtid, data);
}

// Emitted instead of __kmpc_omp_task for a task construct with a depend clause; returns 0 with the
// task submitted or done.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_task_with_deps(ident* where, std::int32_t gtid,
                                                           task_data* data, std::int32_t count,
                                                           depend_info* list,
                                                           std::int32_t more_count,
                                                           depend_info* more_list) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_task_with_deps)(where, gtid, data, count, list, more_count,
                                                         more_list);
  }
  thread& self = thread::here();
  self.inner->runtime_id = gtid;
  const std::span<const dependence> items = items_of(self, count, list, more_count, more_list);
  if (task* const made = own_task(data)) {
    take_priority(*made);
    record_task(self, *made, items);
    submit_depending(self, *made, items);
  } else {
    record(self, [](task_record& into) { into.give_up(); });
    submit_helper_task(self, data, items);
  }
  return 0;
}

// Emitted for a task construct with a false if clause, before the caller runs the task's routine;
// returns with the task running.
FINEGRAIN_OMP_ENTRY void __kmpc_omp_task_begin_if0(ident* where, std::int32_t gtid,
                                                   task_data* data) {
  task* const made = is_passive() ? nullptr : own_task(data);
  if (made == nullptr) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_task_begin_if0)(where, gtid, data);
  }
  thread& self = thread::here();
  record_task(self, *made, {}, true);
  count_child(self, *made);
  begin(self, *made);
}

// Emitted after the caller has run the task's routine; returns with the task finished.
FINEGRAIN_OMP_ENTRY void __kmpc_omp_task_complete_if0(ident* where, std::int32_t gtid,
                                                      task_data* data) {
  task* const made = is_passive() ? nullptr : own_task(data);
  if (made == nullptr) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_task_complete_if0)(where, gtid, data);
  }
  finish_body(*made, gtid);
  thread& self = thread::here();
  submit_successors(self, end(self, *made, made->parent));
}

// Emitted from clang 16 on for a taskwait construct with a depend clause, and before an undeferred
// task with one; returns when the predecessors have finished or, with nowait, before that.
FINEGRAIN_OMP_ENTRY void __kmpc_omp_taskwait_deps_51(ident* where, std::int32_t gtid,
                                                     std::int32_t count, depend_info* list,
                                                     std::int32_t more_count,
                                                     depend_info* more_list,
                                                     std::int32_t is_nowait) {
  if (is_passive()) [[unlikely]] {
    // The seventh argument, which is on the stack, would prevent a tail call.
#ifdef __clang__
    [[clang::musttail]]
#endif
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_taskwait_deps_51)(where, gtid, count, list, more_count,
                                                           more_list, is_nowait);
  }
  taskwait_with_dependences(gtid, count, list, more_count, more_list, is_nowait != 0);
}

// Emitted by clang 14 and 15 instead of __kmpc_omp_taskwait_deps_51; returns when the predecessors
// have finished.
FINEGRAIN_OMP_ENTRY void __kmpc_omp_wait_deps(ident* where, std::int32_t gtid, std::int32_t count,
                                              depend_info* list, std::int32_t more_count,
                                              depend_info* more_list) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_wait_deps)(where, gtid, count, list, more_count,
                                                    more_list);
  }
  taskwait_with_dependences(gtid, count, list, more_count, more_list, false);
}

// Emitted for a taskwait construct; returns 0 when the running task's children have finished.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_taskwait(ident* where, std::int32_t gtid) {
  thread* const self = thread::known();
  if (self == nullptr || self->running->is(task::kRecords)) [[unlikely]] {
    return taskwait_long(where, gtid);
  }
  wait_for_children(*self);
  return 0;
}

// Emitted for a taskyield construct; returns 0 after at most one other task.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_taskyield(ident* where, std::int32_t gtid,
                                                      int end_part) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_taskyield)(where, gtid, end_part);
  }
  yield(thread::here());
  return 0;
}

// Emitted for a task construct with a detach clause, before its submission; returns the event's
// handle.
FINEGRAIN_OMP_ENTRY void* __kmpc_task_allow_completion_event(ident* where, std::int32_t gtid,
                                                             task_data* data) {
  task* const made = is_passive() ? nullptr : own_task(data);
  if (made == nullptr) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_allow_completion_event)(where, gtid, data);
  }
  return &make_event(thread::here(), *made);
}

// Emitted for a task construct with an affinity clause, before its submission; returns 0. The
// clause is only a hint and is ignored.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_omp_reg_task_with_affinity(ident* where, std::int32_t gtid,
                                                                   task_data* data,
                                                                   std::int32_t count, void* list) {
  if (is_passive() || own_task(data) == nullptr) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_omp_reg_task_with_affinity)(where, gtid, data, count, list);
  }
  return 0;
}

}  // namespace fg::omp::kmpc
// NOLINTEND(readability-avoid-return-with-void-value)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
