// LLVM's entry points for taskgroups, their cancellation and their reductions.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../takeover.hpp"
#include "kmpc.hpp"
#include "reductions.hpp"
#include "taskgraph.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
// NOLINTBEGIN(readability-avoid-return-with-void-value): tail calls
namespace fg::omp::kmpc {
namespace {

constexpr std::int32_t kCancelTaskgroup = 4;

bool is_cancellation_enabled() noexcept {
  static const bool enabled = FINEGRAIN_OMP_NEXT(omp_get_cancellation)() != 0;
  return enabled;
}

taskgroup* add_recorded(const std::vector<reduction_item>& items) noexcept {
  thread& self = thread::here();
  record(self, [&](task_record& into) { into.add_reductions(items); });
  return add_reductions(self, items);
}

}  // namespace

// Emitted at the beginning of a taskgroup construct, and of a taskloop construct without nogroup;
// returns with the group open.
FINEGRAIN_OMP_ENTRY void __kmpc_taskgroup(ident* where, std::int32_t gtid) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_taskgroup)(where, gtid);
  }
  thread& self = thread::here();
  self.inner->runtime_id = gtid;
  record(self, [](task_record& into) { into.add_group(); });
  open_taskgroup(self);
}

// Emitted at the end of a taskgroup construct, and of a taskloop construct without nogroup; returns
// when the group's tasks and their descendants are done and its reductions are combined.
FINEGRAIN_OMP_ENTRY void __kmpc_end_taskgroup(ident* where, std::int32_t gtid) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_end_taskgroup)(where, gtid);
  }
  thread& self = thread::here();
  record(self, [](task_record& into) { into.add_end_of_group(); });
  end_taskgroup(self);
}

// Emitted for a cancel construct; returns nonzero if the construct of this kind is cancelled, which
// the caller then leaves.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancel(ident* where, std::int32_t gtid, std::int32_t kind) {
  if (is_passive() || kind != kCancelTaskgroup) {
    return FINEGRAIN_OMP_NEXT(__kmpc_cancel)(where, gtid, kind);
  }
  const thread& self = thread::here();
  record(self, [](task_record& into) { into.give_up(); });
  taskgroup* const group = self.running->group;
  // That without an opener has all tasks of a region.
  if (group == nullptr || group->opened_by == nullptr || !is_cancellation_enabled()) {
    return 0;
  }
  group->cancelled.store(true, memory_order_relaxed);  // a request
  return 1;
}

// Emitted for a cancellation point construct; returns nonzero if the construct of this kind is
// cancelled, which the caller then leaves.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancellationpoint(ident* where, std::int32_t gtid,
                                                          std::int32_t kind) {
  if (is_passive() || kind != kCancelTaskgroup) {
    return FINEGRAIN_OMP_NEXT(__kmpc_cancellationpoint)(where, gtid, kind);
  }
  return is_dropped(*thread::here().running) ? 1 : 0;
}

// Emitted in a taskgroup or taskloop construct with reductions; returns the taskgroup, with which
// tasks request their copies.
FINEGRAIN_OMP_ENTRY void* __kmpc_taskred_init(std::int32_t gtid, std::int32_t count, void* items) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_taskred_init)(gtid, count, items);
  }
  return add_recorded(decode(count, static_cast<const reduction_input*>(items)));
}

// Emitted instead of __kmpc_taskred_init by older compilers, which describe items in another form;
// returns what that does.
FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_init(std::int32_t gtid, std::int32_t count,
                                                     void* items) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_reduction_init)(gtid, count, items);
  }
  return add_recorded(decode(count, static_cast<const legacy_reduction_input*>(items)));
}

// Emitted in a parallel or worksharing construct with reduction(task, ...); returns the taskgroup,
// with which tasks request their copies.
FINEGRAIN_OMP_ENTRY void* __kmpc_taskred_modifier_init(ident* where, std::int32_t gtid,
                                                       int worksharing, std::int32_t count,
                                                       void* items) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_taskred_modifier_init)(where, gtid, worksharing, count, items);
  }
  return open_shared_reductions(thread::here(), worksharing != 0,
                                decode(count, static_cast<const reduction_input*>(items)));
}

// Emitted instead of __kmpc_taskred_modifier_init by older compilers, which describe items in
// another form; returns what that does.
FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_modifier_init(ident* where, std::int32_t gtid,
                                                              int worksharing, std::int32_t count,
                                                              void* items) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_reduction_modifier_init)(where, gtid, worksharing, count,
                                                                   items);
  }
  return open_shared_reductions(thread::here(), worksharing != 0,
                                decode(count, static_cast<const legacy_reduction_input*>(items)));
}

// Emitted at the end of a construct with reduction(task, ...); returns when its tasks are done and,
// in the last thread, the copies are combined.
FINEGRAIN_OMP_ENTRY void __kmpc_task_reduction_modifier_fini(ident* where, std::int32_t gtid,
                                                             int worksharing) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_reduction_modifier_fini)(where, gtid, worksharing);
  }
  end_taskgroup(thread::here());
}

// Emitted in a task with in_reduction; returns the address of the thread's copy of the item.
FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_get_th_data(std::int32_t gtid, void* group,
                                                            void* item) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_reduction_get_th_data)(gtid, group, item);
  }
  thread& self = thread::here();
  // The data of a replayed task name the recorded group, which is gone.
  const bool is_replayed = self.running->is(task::kReplayed);
  return private_copy(self, is_replayed ? nullptr : static_cast<taskgroup*>(group), item);
}

}  // namespace fg::omp::kmpc
// NOLINTEND(readability-avoid-return-with-void-value)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
