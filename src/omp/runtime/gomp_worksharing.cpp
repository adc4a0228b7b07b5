// GNU's entry points for worksharing: loops, sections, single, ordered, doacross, scope.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../constructs.hpp"
#include "../gomp/gomp.hpp"
#include "doacross.hpp"
#include "entry.hpp"
#include "gomp_loops.hpp"
#include "waiting.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

using gomp::reduction_array;

// Takes the next iterations of the loop that the thread is in, as bounds of the program's counter.
template <class Counter>
bool next(loop_part& loop, Counter* first, Counter* last) noexcept {
  iterations taken;
  if (!loop.next(taken)) {
    return false;
  }
  const std::uint64_t from = loop.origin + taken.first * loop.step;
  *first = static_cast<Counter>(from);
  const std::uint64_t to =
      taken.end == loop.count() ? loop.bound : loop.origin + taken.end * loop.step;
  *last = static_cast<Counter>(to);
  return true;
}

// Enters a loop and takes the first iterations.
template <class Counter>
bool start(const gomp_loop& loop, Counter* first, Counter* last) noexcept {
  implicit_part& part = part_here();
  enter_loop(part, loop);
  return next(part.loop, first, last);
}

// A schedule as a word of the ABI; 0 is runtime's.
gomp_loop with_schedule(gomp_loop loop, long schedule) noexcept {
  const auto kind = static_cast<int>(static_cast<unsigned long>(schedule) & ~kMonotonic);
  if (kind == 0) {
    return runtime_loop(loop);
  }
  loop.wish.schedule = static_cast<schedule_kind>(kind);
  return loop;
}

// The reductions and the memory of a construct: the first thread's are everybody's.
void share_memory(thread& self, loop_part& loop, reduction_array reductions,
                  void** memory) noexcept {
  if (reductions != nullptr) {
    open_taskgroup(self).is_implicit = true;
    // The first thread's array, by a lock: see worksharing.hpp.
    shared_loop* const shared = loop.shared();
    gomp::enter_shared_reductions(self, reductions,
                                  shared != nullptr ? &shared->reductions : nullptr);
  }
  if (memory != nullptr) {
    // It comes as the number of bytes.
    *memory = loop.memory(reinterpret_cast<std::size_t>(*memory));
  }
}

// Enters a loop of the newer form. Without `first` the caller computes the static schedule itself.
template <class Counter>
bool start_with(gomp_loop loop, Counter* first, Counter* last, reduction_array reductions,
                void** memory) noexcept {
  thread& self = thread::here();
  implicit_part& part = part_of(self);
  loop.wish.is_shared = reductions != nullptr || memory != nullptr;
  enter_loop(part, loop);
  share_memory(self, part.loop, reductions, memory);
  return first == nullptr || next(part.loop, first, last);
}

unsigned next_section(loop_part& loop) noexcept {
  iterations taken;
  return loop.next(taken) ? static_cast<unsigned>(taken.first + 1) : 0;
}

// Returns whether the region is cancelled.
bool leave_with_barrier() noexcept {
  thread& self = thread::here();
  part_of(self).loop.leave();
  barrier(self);
  return is_region_cancelled(part_of(self));
}

// The counts of a loop nest whose outermost loop is shared.
template <class Counter>
gomp_loop outermost(const Counter* counts, long schedule, Counter chunk) noexcept {
  gomp_loop loop{.origin = 0,
                 .bound = static_cast<std::uint64_t>(counts[0]),
                 .step = 1,
                 .wish = {.count = static_cast<std::uint64_t>(counts[0]),
                          .chunk = static_cast<std::uint64_t>(chunk)}};
  loop = with_schedule(loop, schedule);
  loop.wish.is_shared = true;
  return loop;
}

template <class Counter>
bool start_doacross(unsigned dimensions, const Counter* counts, long schedule, Counter chunk,
                    Counter* first, Counter* last, reduction_array reductions,
                    void** memory) noexcept {
  thread& self = thread::here();
  implicit_part& part = part_of(self);
  enter_loop(part, outermost(counts, schedule, chunk));
  part.crossing.begin(part.loop, dimensions,
                      [counts](unsigned i) { return static_cast<std::uint64_t>(counts[i]); });
  share_memory(self, part.loop, reductions, memory);
  return first == nullptr || next(part.loop, first, last);
}

template <class Counter>
void post(const Counter* at) noexcept {
  implicit_part& part = part_here();
  part.crossing.post([at](unsigned i) { return static_cast<std::uint64_t>(at[i]); });
}

}  // namespace

gomp_loop runtime_loop(gomp_loop loop) noexcept {
  loop.wish.follow(part_here().current());
  return loop;
}

void enter_loop(implicit_part& part, const gomp_loop& loop) noexcept {
  part.loop.origin = loop.origin;
  part.loop.step = loop.step;
  part.loop.bound = loop.bound;
  part.loop.enter(loop.wish, part.shared, part.loops, part.number, part.place->size);
}

// Emitted at the beginning of a loop; returns whether the thread gets iterations, whose bounds it
// writes to `first` and `last`.
#define FINEGRAIN_OMP_LOOP_START(name, schedule, order)                                            \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_##name##_start(long begin, long end, long step, long chunk,   \
                                                    long* first, long* last) {                     \
    return start(order(signed_loop(begin, end, step, schedule, chunk)), first, last);              \
  }                                                                                                \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_##name##_start(                                           \
      gomp::boolean up, unsigned long long begin, unsigned long long end, unsigned long long step, \
      unsigned long long chunk, unsigned long long* first, unsigned long long* last) {             \
    return start(order(unsigned_loop(up, begin, end, step, schedule, chunk)), first, last);        \
  }
FINEGRAIN_OMP_LOOP_START(static, schedule_kind::statically, monotonic)
FINEGRAIN_OMP_LOOP_START(dynamic, schedule_kind::dynamic, monotonic)
FINEGRAIN_OMP_LOOP_START(guided, schedule_kind::guided, monotonic)
FINEGRAIN_OMP_LOOP_START(nonmonotonic_dynamic, schedule_kind::dynamic, nonmonotonic)
FINEGRAIN_OMP_LOOP_START(nonmonotonic_guided, schedule_kind::guided, nonmonotonic)
FINEGRAIN_OMP_LOOP_START(ordered_static, schedule_kind::statically, ordered)
FINEGRAIN_OMP_LOOP_START(ordered_dynamic, schedule_kind::dynamic, ordered)
FINEGRAIN_OMP_LOOP_START(ordered_guided, schedule_kind::guided, ordered)

// The same with schedule(runtime).
#define FINEGRAIN_OMP_RUNTIME_LOOP_START(name, order)                                              \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_##name##_start(long begin, long end, long step, long* first,  \
                                                    long* last) {                                  \
    return start(runtime_loop(order(signed_loop(begin, end, step))), first, last);                 \
  }                                                                                                \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_##name##_start(                                           \
      gomp::boolean up, unsigned long long begin, unsigned long long end, unsigned long long step, \
      unsigned long long* first, unsigned long long* last) {                                       \
    return start(runtime_loop(order(unsigned_loop(up, begin, end, step))), first, last);           \
  }
FINEGRAIN_OMP_RUNTIME_LOOP_START(runtime, monotonic)
FINEGRAIN_OMP_RUNTIME_LOOP_START(nonmonotonic_runtime, nonmonotonic)
FINEGRAIN_OMP_RUNTIME_LOOP_START(maybe_nonmonotonic_runtime, nonmonotonic)
FINEGRAIN_OMP_RUNTIME_LOOP_START(ordered_runtime, ordered)

// Emitted where a thread has done its iterations; returns whether it gets more, whose bounds it
// writes to `first` and `last`.
#define FINEGRAIN_OMP_LOOP_NEXT(name)                                              \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_##name##_next(long* first, long* last) {      \
    return next(part_here().loop, first, last);                                    \
  }                                                                                \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_##name##_next(unsigned long long* first,  \
                                                       unsigned long long* last) { \
    return next(part_here().loop, first, last);                                    \
  }
FINEGRAIN_OMP_LOOP_NEXT(static)
FINEGRAIN_OMP_LOOP_NEXT(dynamic)
FINEGRAIN_OMP_LOOP_NEXT(guided)
FINEGRAIN_OMP_LOOP_NEXT(nonmonotonic_dynamic)
FINEGRAIN_OMP_LOOP_NEXT(nonmonotonic_guided)
FINEGRAIN_OMP_LOOP_NEXT(runtime)
FINEGRAIN_OMP_LOOP_NEXT(nonmonotonic_runtime)
FINEGRAIN_OMP_LOOP_NEXT(maybe_nonmonotonic_runtime)
FINEGRAIN_OMP_LOOP_NEXT(ordered_static)
FINEGRAIN_OMP_LOOP_NEXT(ordered_dynamic)
FINEGRAIN_OMP_LOOP_NEXT(ordered_guided)
FINEGRAIN_OMP_LOOP_NEXT(ordered_runtime)

// Emitted at the beginning of a loop with task reductions, or that needs memory which its threads
// share; returns whether the thread gets iterations, whose bounds it writes to `first` and `last`.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_start(long begin, long end, long step, long schedule, long chunk,
                                         long* first, long* last, reduction_array data,
                                         void** memory) {
  return start_with(
      with_schedule(signed_loop(begin, end, step, schedule_kind::statically, chunk), schedule),
      first, last, data, memory);
}
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_start(gomp::boolean up, unsigned long long begin,
                                             unsigned long long end, unsigned long long step,
                                             long schedule, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* last,
                                             reduction_array data, void** memory) {
  return start_with(
      with_schedule(unsigned_loop(up, begin, end, step, schedule_kind::statically, chunk),
                    schedule),
      first, last, data, memory);
}

// Emitted for the same with an ordered clause; return as GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ordered_start(long begin, long end, long step, long schedule,
                                                 long chunk, long* first, long* last,
                                                 reduction_array data, void** memory) {
  return start_with(ordered(with_schedule(
                        signed_loop(begin, end, step, schedule_kind::statically, chunk), schedule)),
                    first, last, data, memory);
}
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_ordered_start(
    gomp::boolean up, unsigned long long begin, unsigned long long end, unsigned long long step,
    long schedule, unsigned long long chunk, unsigned long long* first, unsigned long long* last,
    reduction_array data, void** memory) {
  return start_with(
      ordered(with_schedule(unsigned_loop(up, begin, end, step, schedule_kind::statically, chunk),
                            schedule)),
      first, last, data, memory);
}

// Emitted for a loop nest with an ordered(n) clause, whose outermost loop is shared; return as
// GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_doacross_start(unsigned dimensions, long* counts, long schedule,
                                                  long chunk, long* first, long* last,
                                                  reduction_array data, void** memory) {
  return start_doacross(dimensions, counts, schedule, chunk, first, last, data, memory);
}
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_doacross_start(
    unsigned dimensions, unsigned long long* counts, long schedule, unsigned long long chunk,
    unsigned long long* first, unsigned long long* last, reduction_array data, void** memory) {
  return start_doacross(dimensions, counts, schedule, chunk, first, last, data, memory);
}
#define FINEGRAIN_OMP_DOACROSS_START(name, schedule)                                           \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_doacross_##name##_start(                                  \
      unsigned dimensions, long* counts, long chunk, long* first, long* last) {                \
    return start_doacross(dimensions, counts, static_cast<long>(schedule), chunk, first, last, \
                          nullptr, nullptr);                                                   \
  }                                                                                            \
  FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_doacross_##name##_start(                              \
      unsigned dimensions, unsigned long long* counts, unsigned long long chunk,               \
      unsigned long long* first, unsigned long long* last) {                                   \
    return start_doacross(dimensions, counts, static_cast<long>(schedule), chunk, first, last, \
                          nullptr, nullptr);                                                   \
  }
FINEGRAIN_OMP_DOACROSS_START(static, schedule_kind::statically)
FINEGRAIN_OMP_DOACROSS_START(dynamic, schedule_kind::dynamic)
FINEGRAIN_OMP_DOACROSS_START(guided, schedule_kind::guided)
FINEGRAIN_OMP_ENTRY bool GOMP_loop_doacross_runtime_start(unsigned dimensions, long* counts,
                                                          long* first, long* last) {
  return start_doacross(dimensions, counts, 0, 0L, first, last, nullptr, nullptr);
}
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions,
                                                              unsigned long long* counts,
                                                              unsigned long long* first,
                                                              unsigned long long* last) {
  return start_doacross(dimensions, counts, 0, 0ULL, first, last, nullptr, nullptr);
}

// Emitted for ordered depend(source); returns after telling that the iteration has come so far.
FINEGRAIN_OMP_ENTRY void GOMP_doacross_post(long* at) { post(at); }
FINEGRAIN_OMP_ENTRY void GOMP_doacross_ull_post(unsigned long long* at) { post(at); }

// Emitted for ordered depend(sink: ...); returns when the iteration with these numbers has come so
// far.
FINEGRAIN_OMP_ENTRY void GOMP_doacross_wait(long first, ...) {
  implicit_part& part = part_here();
  std::va_list more;
  va_start(more, first);
  part.crossing.wait(
      [&](unsigned i) { return static_cast<std::uint64_t>(i == 0 ? first : va_arg(more, long)); });
  va_end(more);
}
FINEGRAIN_OMP_ENTRY void GOMP_doacross_ull_wait(unsigned long long first, ...) {
  implicit_part& part = part_here();
  std::va_list more;
  va_start(more, first);
  part.crossing.wait([&](unsigned i) {
    return static_cast<std::uint64_t>(i == 0 ? first : va_arg(more, unsigned long long));
  });
  va_end(more);
}

// Emitted at the end of a loop that the runtime schedules, without nowait; returns after its
// barrier. In a region with a cancel parallel construct the second one, which returns whether the
// region is cancelled.
FINEGRAIN_OMP_ENTRY void GOMP_loop_end() { leave_with_barrier(); }
FINEGRAIN_OMP_ENTRY bool GOMP_loop_end_cancel() { return leave_with_barrier(); }
FINEGRAIN_OMP_ENTRY void GOMP_loop_end_nowait() { part_here().loop.leave(); }

// Emitted for an ordered region in such a loop; returns when those of all earlier iterations have
// ended.
FINEGRAIN_OMP_ENTRY void GOMP_ordered_start() { part_here().loop.wait_for_order(); }
FINEGRAIN_OMP_ENTRY void GOMP_ordered_end() {}

// Emitted at the beginning of a sections construct; returns the number of the section to run first,
// 0 if there is none left.
FINEGRAIN_OMP_ENTRY unsigned GOMP_sections_start(unsigned count) {
  implicit_part& part = part_here();
  enter_loop(part, sections_loop(count));
  return next_section(part.loop);
}
FINEGRAIN_OMP_ENTRY unsigned GOMP_sections2_start(unsigned count, reduction_array data,
                                                  void** memory) {
  thread& self = thread::here();
  implicit_part& part = part_of(self);
  enter_loop(part, sections_loop(count));
  share_memory(self, part.loop, data, memory);
  return next_section(part.loop);
}
FINEGRAIN_OMP_ENTRY unsigned GOMP_sections_next() { return next_section(part_here().loop); }

// Emitted at the end of a sections construct; returns after its barrier, if it has one. The second
// one as above.
FINEGRAIN_OMP_ENTRY void GOMP_sections_end() { leave_with_barrier(); }
FINEGRAIN_OMP_ENTRY bool GOMP_sections_end_cancel() { return leave_with_barrier(); }
FINEGRAIN_OMP_ENTRY void GOMP_sections_end_nowait() { part_here().loop.leave(); }

// Emitted at the beginning of a scope construct with reduction(task, ...); returns with the memory
// of the copies in the array.
FINEGRAIN_OMP_ENTRY void GOMP_scope_start(reduction_array data) {
  thread& self = thread::here();
  implicit_part& part = part_of(self);
  gomp_loop nothing;
  nothing.wish.is_shared = true;
  enter_loop(part, nothing);
  share_memory(self, part.loop, data, nullptr);
}

// Emitted at the end of a worksharing construct with reduction(task, ...); returns after its
// barrier.
FINEGRAIN_OMP_ENTRY void GOMP_workshare_task_reduction_unregister(gomp::boolean /*cancelled*/) {
  thread& self = thread::here();
  auto* const arrays = self.running->group->arrays;
  close_taskgroup(self);
  part_of(self).loop.leave();
  barrier(self);
  // In a cancelled region other threads' tasks may still use them.
  if (self.inner->number == 0 && !is_region_cancelled(part_of(self))) {
    gomp::free_reductions(arrays);
  }
}

// Emitted for a single construct; returns whether the caller runs it.
FINEGRAIN_OMP_ENTRY bool GOMP_single_start() { return begin_single(part_here()); }

// Emitted for a single construct with copyprivate; returns null to the thread that runs it, and to
// the others, when it has, what that passes to GOMP_single_copy_end.
FINEGRAIN_OMP_ENTRY void* GOMP_single_copy_start() {
  thread& self = thread::here();
  implicit_part& part = part_of(self);
  if (begin_single(part)) {
    return nullptr;
  }
  barrier(self);
  return data_of_single(*part.shared);
}
FINEGRAIN_OMP_ENTRY void GOMP_single_copy_end(void* data) {
  thread& self = thread::here();
  if (worksharing* const shared = part_of(self).shared) {
    shared->copyprivate.store(data, memory_order_release);  // see data_of_single
  }
  barrier(self);
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
