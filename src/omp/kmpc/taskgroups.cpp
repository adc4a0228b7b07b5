// LLVM's entry points for taskgroups, their cancellation and their reductions.
#include <cstdint>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../takeover.hpp"
#include "kmpc.hpp"
#include "reductions.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::kmpc {
namespace {

constexpr std::int32_t kCancelTaskgroup = 4;

bool is_cancellation_enabled() noexcept {
  static const bool enabled = next_function<"omp_get_cancellation", int()>()() != 0;
  return enabled;
}

}  // namespace

FINEGRAIN_OMP_ENTRY void __kmpc_taskgroup(ident* where, std::int32_t gtid) {
  if (is_passive()) [[unlikely]] {
    next_function<"__kmpc_taskgroup", void(ident*, std::int32_t)>()(where, gtid);
    return;
  }
  thread& self = thread::here();
  self.inner->runtime_id = gtid;
  open_taskgroup(self);
}

FINEGRAIN_OMP_ENTRY void __kmpc_end_taskgroup(ident* where, std::int32_t gtid) {
  if (is_passive()) [[unlikely]] {
    next_function<"__kmpc_end_taskgroup", void(ident*, std::int32_t)>()(where, gtid);
    return;
  }
  end_taskgroup(thread::here());
}

FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancel(ident* where, std::int32_t gtid, std::int32_t kind) {
  if (is_passive() || kind != kCancelTaskgroup) {
    return next_function<"__kmpc_cancel", std::int32_t(ident*, std::int32_t, std::int32_t)>()(
        where, gtid, kind);
  }
  taskgroup* const group = thread::here().running->group;
  if (group == nullptr || !is_cancellation_enabled()) {
    return 0;
  }
  group->cancelled.store(true, memory_order_relaxed);  // a request
  return 1;
}

FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancellationpoint(ident* where, std::int32_t gtid,
                                                          std::int32_t kind) {
  if (is_passive() || kind != kCancelTaskgroup) {
    return next_function<"__kmpc_cancellationpoint",
                         std::int32_t(ident*, std::int32_t, std::int32_t)>()(where, gtid, kind);
  }
  return is_dropped(*thread::here().running) ? 1 : 0;
}

FINEGRAIN_OMP_ENTRY void* __kmpc_taskred_init(std::int32_t gtid, std::int32_t count, void* items) {
  if (is_passive()) [[unlikely]] {
    return next_function<"__kmpc_taskred_init", void*(std::int32_t, std::int32_t, void*)>()(
        gtid, count, items);
  }
  return add_reductions(thread::here(), decode(count, static_cast<const reduction_input*>(items)));
}

FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_init(std::int32_t gtid, std::int32_t count,
                                                     void* items) {
  if (is_passive()) [[unlikely]] {
    return next_function<"__kmpc_task_reduction_init", void*(std::int32_t, std::int32_t, void*)>()(
        gtid, count, items);
  }
  return add_reductions(thread::here(),
                        decode(count, static_cast<const legacy_reduction_input*>(items)));
}

FINEGRAIN_OMP_ENTRY void* __kmpc_taskred_modifier_init(ident* where, std::int32_t gtid,
                                                       int worksharing, std::int32_t count,
                                                       void* items) {
  if (is_passive()) [[unlikely]] {
    return next_function<"__kmpc_taskred_modifier_init",
                         void*(ident*, std::int32_t, int, std::int32_t, void*)>()(
        where, gtid, worksharing, count, items);
  }
  return open_shared_reductions(thread::here(), worksharing != 0,
                                decode(count, static_cast<const reduction_input*>(items)));
}

FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_modifier_init(ident* where, std::int32_t gtid,
                                                              int worksharing, std::int32_t count,
                                                              void* items) {
  if (is_passive()) [[unlikely]] {
    return next_function<"__kmpc_task_reduction_modifier_init",
                         void*(ident*, std::int32_t, int, std::int32_t, void*)>()(
        where, gtid, worksharing, count, items);
  }
  return open_shared_reductions(thread::here(), worksharing != 0,
                                decode(count, static_cast<const legacy_reduction_input*>(items)));
}

FINEGRAIN_OMP_ENTRY void __kmpc_task_reduction_modifier_fini(ident* where, std::int32_t gtid,
                                                             int worksharing) {
  if (is_passive()) [[unlikely]] {
    next_function<"__kmpc_task_reduction_modifier_fini", void(ident*, std::int32_t, int)>()(
        where, gtid, worksharing);
    return;
  }
  end_taskgroup(thread::here());
}

FINEGRAIN_OMP_ENTRY void* __kmpc_task_reduction_get_th_data(std::int32_t gtid, void* group,
                                                            void* item) {
  if (is_passive()) [[unlikely]] {
    return next_function<"__kmpc_task_reduction_get_th_data", void*(std::int32_t, void*, void*)>()(
        gtid, group, item);
  }
  return private_copy(thread::here(), static_cast<taskgroup*>(group), item);
}

}  // namespace fg::omp::kmpc
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
