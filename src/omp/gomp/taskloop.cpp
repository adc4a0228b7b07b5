// GNU's entry points for taskloops.
// SPDX-License-Identifier: Apache-2.0
#include "../taskloop.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "gomp.hpp"
#include "make_task.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::gomp {
namespace {

template <class Index>
struct loop_call {
  task_source source;
  unsigned flags;
  unsigned long value;  // of the grainsize or num_tasks clause; 0: there is none
  int priority;
  Index start;
  Index end;
  Index step;
};

// The first words of a loop task's data: its part of the iterations.
template <class Index>
struct loop_head {
  Index start;
  Index end;
  reduction_array reductions;  // with a reduction clause only
};

template <class Index>
std::uint64_t trips_of(const loop_call<Index>& call) noexcept {
  const bool up = std::is_signed_v<Index> ? call.step > 0 : (call.flags & kUp) != 0;
  const auto start = static_cast<std::uint64_t>(call.start);
  const auto end = static_cast<std::uint64_t>(call.end);
  const auto step = static_cast<std::uint64_t>(call.step);
  if (up) {
    return call.start < call.end ? (end - start - 1) / step + 1 : 0;
  }
  return call.start > call.end ? (start - end - 1) / (0 - step) + 1 : 0;
}

loop_schedule schedule_of(unsigned flags, unsigned long value) noexcept {
  return (flags & kGrainsize) != 0 ? loop_schedule::grainsize
         : value != 0              ? loop_schedule::num_tasks
                                   : loop_schedule::none;
}

template <class Index>
void submit_chunks(thread& self, const loop_call<Index>& call, std::uint64_t trips) noexcept {
  const loop_cut cut = cut_loop(trips, schedule_of(call.flags, call.value), call.value,
                                (call.flags & kStrict) != 0, self.inner->size);
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < cut.tasks; ++i) {
    const std::uint64_t wanted = cut.iterations + (i < cut.longer ? 1 : 0);
    const std::uint64_t count = std::min(wanted, trips - first);
    task& made = make(self, call.source, call.flags);
    auto& head = *static_cast<loop_head<Index>*>(data_of(made));
    // Unsigned, because it may wrap around in between.
    using unsigned_index = std::make_unsigned_t<Index>;
    const auto step = static_cast<unsigned_index>(call.step);
    const unsigned_index begin = static_cast<unsigned_index>(call.start) + first * step;
    head.start = static_cast<Index>(begin);
    head.end = static_cast<Index>(begin + count * step);
    made.priority = (call.flags & kPriority) != 0 ? priority_of(call.priority) : std::int8_t{0};
    count_child(self, made);
    (call.flags & kIf) != 0 ? submit(self, made) : run(self, made);
    first += count;
  }
}

template <class Index>
void run_loop(const loop_call<Index>& call) noexcept {
  thread& self = thread::here();
  const bool has_group = (call.flags & kNogroup) == 0;
  if (has_group) {
    open_taskgroup(self);
    if ((call.flags & kReduction) != 0) {  // even without an iteration
      enter_reductions(self, static_cast<loop_head<Index>*>(call.source.data)->reductions);
    }
  }
  if (const std::uint64_t trips = trips_of(call); trips != 0 && !is_dropped(*self.running)) {
    submit_chunks(self, call, trips);
  }
  if (has_group) {
    close_taskgroup(self);
  }
}

}  // namespace

// Emitted for a taskloop construct whose counter fits into a long; returns when its tasks, each
// with its bounds in its data's first words, are submitted or, without nogroup, done.
FINEGRAIN_OMP_ENTRY void GOMP_taskloop(body routine, void* data, copy_constructor copy, long bytes,
                                       long alignment, unsigned flags, unsigned long value,
                                       int priority, long start, long end, long step) {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskloop)(routine, data, copy, bytes, alignment, flags, value,
                                             priority, start, end, step);
  }
  run_loop(loop_call<long>{.source = {routine, data, copy, static_cast<std::size_t>(bytes),
                                      static_cast<std::size_t>(alignment)},
                           .flags = flags,
                           .value = value,
                           .priority = priority,
                           .start = start,
                           .end = end,
                           .step = step});
}

// Emitted for a taskloop construct whose counter needs an unsigned long long; returns as
// GOMP_taskloop does.
FINEGRAIN_OMP_ENTRY void GOMP_taskloop_ull(body routine, void* data, copy_constructor copy,
                                           long bytes, long alignment, unsigned flags,
                                           unsigned long value, int priority,
                                           unsigned long long start, unsigned long long end,
                                           unsigned long long step) {
  if (is_not_ours()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(GOMP_taskloop_ull)(routine, data, copy, bytes, alignment, flags,
                                                 value, priority, start, end, step);
  }
  run_loop(
      loop_call<unsigned long long>{.source = {routine, data, copy, static_cast<std::size_t>(bytes),
                                               static_cast<std::size_t>(alignment)},
                                    .flags = flags,
                                    .value = value,
                                    .priority = priority,
                                    .start = start,
                                    .end = end,
                                    .step = step});
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
