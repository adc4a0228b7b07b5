// LLVM's entry points for taskloops.
// SPDX-License-Identifier: Apache-2.0
#include "../taskloop.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

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

using duplicate = void (*)(task_data* copy, task_data* pattern, std::int32_t is_last);

// Compiled code points to the bounds, which are in the pattern's data.
struct loop_call {
  task_data* pattern;
  std::ptrdiff_t lower_at;
  std::ptrdiff_t upper_at;
  std::uint64_t lower;
  std::uint64_t upper;
  std::int64_t stride;
  bool undeferred;
  loop_schedule schedule;
  std::uint64_t value;
  bool strict;
  duplicate copy_private;
};

std::uint64_t trips_of(const loop_call& loop) noexcept {
  const auto stride = static_cast<std::uint64_t>(loop.stride);
  if (loop.stride < 0) {
    return (loop.lower - loop.upper) / (0 - stride) + 1;
  }
  return (loop.upper - loop.lower) / stride + 1;
}

bool is_empty(const loop_call& loop) noexcept {
  const auto lower = static_cast<std::int64_t>(loop.lower);
  const auto upper = static_cast<std::int64_t>(loop.upper);
  return loop.stride > 0 ? upper < lower : lower < upper;
}

// Creates a task with a copy of the pattern's data.
task& copy_of(thread& self, task& pattern) noexcept {
  task& made = make_task(self, pattern.data_bytes, nullptr, pattern.flags);
  made.routine.store(pattern.routine.load(memory_order_relaxed), memory_order_relaxed);
  made.priority = pattern.priority;
  std::memcpy(made.data(), pattern.data(), pattern.data_bytes);
  auto& data = *static_cast<task_data*>(made.data());
  if (data.shareds != nullptr) {
    const auto offset =
        static_cast<std::byte*>(data.shareds) - static_cast<std::byte*>(pattern.data());
    data.shareds = static_cast<std::byte*>(made.data()) + offset;
  }
  return made;
}

void submit_chunk(thread& self, const loop_call& call, std::uint64_t first, std::uint64_t count,
                  bool is_last) noexcept {
  task& made = copy_of(self, task::of_data(call.pattern));
  auto* const data = static_cast<task_data*>(made.data());
  const auto stride = static_cast<std::uint64_t>(call.stride);
  const std::uint64_t lower = call.lower + first * stride;
  const std::uint64_t upper = lower + (count - 1) * stride;
  auto* const bytes = static_cast<std::byte*>(made.data());
  std::memcpy(bytes + call.lower_at, &lower, sizeof lower);
  std::memcpy(bytes + call.upper_at, &upper, sizeof upper);
  if (call.copy_private != nullptr) {
    call.copy_private(data, call.pattern, is_last ? 1 : 0);
  }
  record_task(self, made, {}, call.undeferred);
  count_child(self, made);
  if (call.undeferred) {
    run(self, made);
  } else {
    submit(self, made);
  }
}

void submit_chunks(thread& self, const loop_call& call) noexcept {
  const std::uint64_t trips = trips_of(call);
  const loop_cut cut = cut_loop(trips, call.schedule, call.value, call.strict, self.inner->size);
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < cut.tasks; ++i) {
    const std::uint64_t wanted = cut.iterations + (i < cut.longer ? 1 : 0);
    const std::uint64_t count = std::min(wanted, trips - first);
    submit_chunk(self, call, first, count, i + 1 == cut.tasks);
    first += count;
  }
}

// Frees the pattern, a task that never runs but whose data must be destroyed.
void drop_pattern(thread& self, task& pattern) noexcept {
  auto& data = *static_cast<task_data*>(pattern.data());
  if (pattern.is(task::kHasDestructors)) {
    data.destructors.routine(self.inner->runtime_id, &data);
  }
  self.memory.give_back(&pattern, pattern.size_class);
}

void run_loop(const loop_call& call, bool in_group) noexcept {
  thread& self = thread::here();
  task& pattern = task::of_data(call.pattern);
  if (in_group) {
    record(self, [](task_record& into) { into.add_group(); });
    open_taskgroup(self);
  }
  if (!is_empty(call)) {
    submit_chunks(self, call);
  }
  drop_pattern(self, pattern);
  if (in_group) {
    record(self, [](task_record& into) { into.add_end_of_group(); });
    end_taskgroup(self);
  }
}

}  // namespace

// Emitted instead of __kmpc_taskloop if the grainsize or num_tasks clause may be strict, by Intel's
// compilers and from clang 20 on; returns when copies of the pattern are submitted for all
// iterations, and are done unless nogroup is set.
FINEGRAIN_OMP_ENTRY void __kmpc_taskloop_5(ident* where, std::int32_t gtid, task_data* pattern,
                                           std::int32_t if_value, std::uint64_t* lower,
                                           std::uint64_t* upper, std::int64_t stride,
                                           std::int32_t nogroup, std::int32_t schedule,
                                           std::uint64_t value, std::int32_t strict,
                                           void* copy_private) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_taskloop_5)(where, gtid, pattern, if_value, lower, upper,
                                                 stride, nogroup, schedule, value, strict,
                                                 copy_private);
  }
  const auto* const data = reinterpret_cast<const std::byte*>(pattern);
  run_loop({.pattern = pattern,
            .lower_at = reinterpret_cast<const std::byte*>(lower) - data,
            .upper_at = reinterpret_cast<const std::byte*>(upper) - data,
            .lower = *lower,
            .upper = *upper,
            .stride = stride,
            .undeferred = if_value == 0,
            .schedule = static_cast<loop_schedule>(schedule),
            .value = value,
            .strict = strict != 0,
            .copy_private = reinterpret_cast<duplicate>(copy_private)},
           nogroup == 0);
}

// Emitted for a taskloop construct, between __kmpc_taskgroup and __kmpc_end_taskgroup unless it has
// nogroup; returns as __kmpc_taskloop_5 does.
FINEGRAIN_OMP_ENTRY void __kmpc_taskloop(ident* where, std::int32_t gtid, task_data* pattern,
                                         std::int32_t if_value, std::uint64_t* lower,
                                         std::uint64_t* upper, std::int64_t stride,
                                         std::int32_t nogroup, std::int32_t schedule,
                                         std::uint64_t value, void* copy_private) {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(__kmpc_taskloop)(where, gtid, pattern, if_value, lower, upper, stride,
                                               nogroup, schedule, value, copy_private);
  }
  __kmpc_taskloop_5(where, gtid, pattern, if_value, lower, upper, stride, nogroup, schedule, value,
                    0, copy_private);
}

}  // namespace fg::omp::kmpc
// NOLINTEND(readability-avoid-return-with-void-value)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
