// GNU's entry points for regions, barriers and teams, with our own threads.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "../constructs.hpp"
#include "../gomp/gomp.hpp"
#include "../settings.hpp"
#include "entry.hpp"
#include "gomp_loops.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

using gomp::body;
using gomp::reduction_array;

// The words of a region_call that this ABI uses.
enum : std::size_t { kData, kDetails };

void call_body(const region_call& call) noexcept {
  reinterpret_cast<body>(call.body)(call.arguments[kData]);
}

void run_plain(thread& /*self*/, const region_call& call) { call_body(call); }

void run_with_reductions(thread& self, const region_call& call) {
  taskgroup& group = open_taskgroup(self);
  group.is_implicit = true;
  group.arrays = static_cast<reduction_array>(call.arguments[kDetails]);
  call_body(call);
  close_taskgroup(self);
}

// The body goes on with the loop that each thread enters here.
void run_with_loop(thread& self, const region_call& call) {
  enter_loop(part_of(self), *static_cast<const gomp_loop*>(call.arguments[kDetails]));
  call_body(call);
}

region_call call_of(body routine, void* data) noexcept {
  return {.run = &run_plain, .body = reinterpret_cast<void*>(routine), .arguments = {data}};
}

region_call call_of(body routine, void* data, const gomp_loop& loop) noexcept {
  return {.run = &run_with_loop,
          .body = reinterpret_cast<void*>(routine),
          .arguments = {data, const_cast<gomp_loop*>(&loop)}};
}

// The flags of a region without a proc_bind clause are 0.
void want_binding_of(thread& self, unsigned flags) noexcept {
  constexpr unsigned kProcBind = 7;
  if (flags != 0) [[unlikely]] {
    want_binding(self, flags & kProcBind);
  }
}

void run(unsigned threads, unsigned flags, const region_call& call) noexcept {
  thread& self = thread::here();
  want_binding_of(self, flags);
  run_region(self, region_size(self, threads), call);
}

void run_loop(body routine, void* data, unsigned threads, const gomp_loop& loop,
              unsigned flags) noexcept {
  run(threads, flags, call_of(routine, data, loop));
}

// A region that two calls open and close; between them the caller runs the body itself. It is the
// frame and the part of that thread, whether there are others or not.
struct split_region : serial_region {
  explicit split_region(const gomp_loop& its) noexcept : loop{its} {}

  gomp_loop loop;
  open_region all;
  bool is_alone = false;
};

void open(body routine, void* data, unsigned threads, const gomp_loop* loop) noexcept {
  auto* const opened = new (std::nothrow) split_region{loop != nullptr ? *loop : gomp_loop{}};
  if (opened == nullptr) {
    end_without_memory("a region");
  }
  thread& self = thread::here();
  const unsigned size = region_size(self, threads);
  opened->is_alone = size == 1;
  opened->tasks_before = self.tasks;
  if (opened->is_alone) {
    opened->open(self);
  } else {
    opened->all.fork(
        self, size,
        loop != nullptr ? call_of(routine, data, opened->loop) : call_of(routine, data));
    opened->all.team().enter(self, *opened, opened->part, 0);
  }
  if (loop != nullptr) {
    enter_loop(part_of(self), opened->loop);
  }
}

void close() noexcept {
  thread& self = thread::here();
  const std::unique_ptr<split_region> ended{static_cast<split_region*>(self.inner)};
  if (ended->is_alone) {
    ended->close(self);
  } else {
    ended->all.team().leave(self, ended->tasks_before);
    ended->all.join();
  }
}

}  // namespace

// Emitted for a parallel construct; returns when all threads have run the body.
FINEGRAIN_OMP_ENTRY void GOMP_parallel(body routine, void* data, unsigned threads, unsigned flags) {
  run(threads, flags, call_of(routine, data));
}

// Emitted for a parallel construct with reduction(task, ...), whose array the data's first word
// points to; returns the number of threads when all of them have run the body.
FINEGRAIN_OMP_ENTRY unsigned GOMP_parallel_reductions(body routine, void* data, unsigned threads,
                                                      unsigned flags) {
  thread& self = thread::here();
  want_binding_of(self, flags);
  const unsigned size = region_size(self, threads);
  auto* const arrays = *static_cast<reduction_array*>(data);
  gomp::allocate_reductions(arrays, nullptr, size);
  region_call call = call_of(routine, data);
  call.run = &run_with_reductions;
  call.arguments[kDetails] = arrays;
  return run_region(self, size, call);
}

// Emitted for a combined parallel sections construct; returns when all sections are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections(body routine, void* data, unsigned threads,
                                                unsigned count, unsigned flags) {
  run_loop(routine, data, threads, sections_loop(count), flags);
}

// Emitted for a combined parallel loop of constant bounds; returns when all iterations are done.
#define FINEGRAIN_OMP_PARALLEL_LOOP(name, schedule, order)                                        \
  FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_##name(body routine, void* data, unsigned threads,  \
                                                     long start, long end, long step, long chunk, \
                                                     unsigned flags) {                            \
    run_loop(routine, data, threads, order(signed_loop(start, end, step, schedule, chunk)),       \
             flags);                                                                              \
  }
FINEGRAIN_OMP_PARALLEL_LOOP(static, schedule_kind::statically, monotonic)
FINEGRAIN_OMP_PARALLEL_LOOP(dynamic, schedule_kind::dynamic, monotonic)
FINEGRAIN_OMP_PARALLEL_LOOP(guided, schedule_kind::guided, monotonic)
FINEGRAIN_OMP_PARALLEL_LOOP(nonmonotonic_dynamic, schedule_kind::dynamic, nonmonotonic)
FINEGRAIN_OMP_PARALLEL_LOOP(nonmonotonic_guided, schedule_kind::guided, nonmonotonic)

// The same with schedule(runtime).
#define FINEGRAIN_OMP_PARALLEL_RUNTIME_LOOP(name, order)                                         \
  FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_##name(body routine, void* data, unsigned threads, \
                                                     long start, long end, long step,            \
                                                     unsigned flags) {                           \
    run_loop(routine, data, threads, runtime_loop(order(signed_loop(start, end, step))), flags); \
  }
FINEGRAIN_OMP_PARALLEL_RUNTIME_LOOP(runtime, monotonic)
FINEGRAIN_OMP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime, nonmonotonic)
FINEGRAIN_OMP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime, nonmonotonic)

// Emitted for a teams construct on the host; returns when all teams have run the body.
FINEGRAIN_OMP_ENTRY void GOMP_teams_reg(body routine, void* data, unsigned teams, unsigned threads,
                                        unsigned /*flags*/) {
  run_teams(thread::here(), static_cast<int>(teams), static_cast<int>(threads),
            call_of(routine, data));
}

// Emitted before gcc 4.9 for a parallel construct; returns in the caller, which then runs the body
// itself and calls GOMP_parallel_end.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_start(body routine, void* data, unsigned threads) {
  open(routine, data, threads, nullptr);
}

// Emitted before gcc 4.9 for a combined parallel loop; returns as GOMP_parallel_start does.
#define FINEGRAIN_OMP_PARALLEL_LOOP_START(name, schedule)                                        \
  FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_##name##_start(                                    \
      body routine, void* data, unsigned threads, long start, long end, long step, long chunk) { \
    const gomp_loop loop = signed_loop(start, end, step, schedule, chunk);                       \
    open(routine, data, threads, &loop);                                                         \
  }
FINEGRAIN_OMP_PARALLEL_LOOP_START(static, schedule_kind::statically)
FINEGRAIN_OMP_PARALLEL_LOOP_START(dynamic, schedule_kind::dynamic)
FINEGRAIN_OMP_PARALLEL_LOOP_START(guided, schedule_kind::guided)

// The same with schedule(runtime).
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_runtime_start(body routine, void* data,
                                                          unsigned threads, long start, long end,
                                                          long step) {
  const gomp_loop loop = runtime_loop(signed_loop(start, end, step));
  open(routine, data, threads, &loop);
}

// Emitted before gcc 4.9 for a combined parallel sections construct; returns as GOMP_parallel_start
// does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections_start(body routine, void* data, unsigned threads,
                                                      unsigned count) {
  const gomp_loop loop = sections_loop(count);
  open(routine, data, threads, &loop);
}

// Emitted before gcc 4.9 after the caller's own run of the body; returns when all threads have run
// it.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_end() { close(); }

// Emitted for a barrier construct and at the end of constructs that imply one; returns when all
// threads have arrived and all tasks are done.
FINEGRAIN_OMP_ENTRY void GOMP_barrier() { barrier(thread::here()); }

// Emitted instead of GOMP_barrier in a region with a cancel parallel construct; returns whether the
// region is cancelled, which the caller then leaves.
FINEGRAIN_OMP_ENTRY bool GOMP_barrier_cancel() {
  thread& self = thread::here();
  barrier(self);
  return is_region_cancelled(part_of(self));
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
