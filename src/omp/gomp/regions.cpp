// GNU's entry points for regions and barriers: wrappers of the runtime's, with our part around the
// body.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../region_memory.hpp"
#include "../settings.hpp"
#include "finegrain/core/cache_line.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::gomp {
namespace {

// The arguments with which a region is opened.
struct region_wish {
  // From GOMP_parallel_reductions: the runtime takes the first word of the data for them.
  reduction_array reductions = nullptr;
  body routine = nullptr;
  void* data = nullptr;
  bool is_teams = false;  // each team consists of its initial thread
  bool expects_tasks = true;

  bool operator==(const region_wish&) const = default;
};

// A call that opens a region. Each of the region's threads reads it, so it has its own cache line.
struct alignas(kCacheLineBytes) region_call {
  region_wish wish;
  omp::region region;
};
static_assert(sizeof(region_call) == kCacheLineBytes);

// Holds the calls of one thread's regions, one after another. Writes only what has changed, so that
// in a loop around a region the line stays shared among the threads that read it. For regions that
// are not nested.
class kept_call {
 public:
  // Returns null if it is in use.
  static region_call* take(const region_wish& wish) noexcept {
    kept_call& mine = of_this_thread();
    if (mine.in_use_) {
      return nullptr;
    }
    mine.in_use_ = true;
    if (mine.call_.wish != wish) {
      mine.call_.wish = wish;
    }
    return &mine.call_;
  }
  static void give_back() noexcept {
    kept_call& mine = of_this_thread();
    mine.in_use_ = false;
    mine.call_.region.renew();
  }

 private:
  static kept_call& of_this_thread() noexcept {
    constinit static thread_local kept_call mine;
    return mine;
  }

  region_call call_;
  bool in_use_ = false;  // on the next line, which no other thread reads
};

int threads_of_region() noexcept {
  return FINEGRAIN_OMP_BESIDE(GOMP_parallel, omp_get_num_threads)();
}

// Begins the thread's part of a region that GNU's runtime has opened.
void enter_region(thread& self, frame& part, region& region) noexcept {
  const int number = FINEGRAIN_OMP_BESIDE(GOMP_parallel, omp_get_thread_num)();
  self.enter(part, region, static_cast<std::size_t>(number),
             static_cast<std::size_t>(threads_of_region()), -1);
}

// The function that the runtime below runs on each thread instead of the body.
void run_part(void* data) noexcept {
  auto& call = *static_cast<region_call*>(data);
  thread& self = thread::here();
  const std::uint64_t tasks_before = self.tasks;
  frame part;
  if (call.wish.is_teams) {
    self.enter(part, call.region, 0, 1, -1);
  } else {
    enter_region(self, part, call.region);
  }
  part.expects_tasks = call.wish.expects_tasks;
  ++self.regions;
  if (call.wish.reductions != nullptr) {
    open_taskgroup(self).arrays = call.wish.reductions;
  }
  call.wish.routine(call.wish.data);
  if (call.wish.reductions != nullptr) {
    close_taskgroup(self);
  }
  if (self.tasks != tasks_before) {
    call.region.made_tasks.store(true, memory_order_relaxed);  // read after the region's end
  }
  end_part(self);
}

void tell_runtime() noexcept {
  static const bool told = announce("GOMP", find_next("GOMP_parallel"));
  static_cast<void>(told);
}

// Calls `real` with the body and the data to pass on.
template <class Real>
auto run_in(region_call& call, Real real) noexcept {
  struct remember_at_exit {
    region_call& of;
    ~remember_at_exit() {
      dissolve(of.region);
      region_memory::instance().remember(reinterpret_cast<const void*>(of.wish.routine),
                                         of.region.made_tasks.load(memory_order_relaxed));
    }
  } const at_exit{call};
  return real(&run_part, static_cast<void*>(&call));
}

template <class Real>
auto run_region(region_wish wish, Real real) noexcept {
  tell_runtime();
  wish.expects_tasks =
      region_memory::instance().expects_tasks(reinterpret_cast<const void*>(wish.routine));
  if (region_call* const kept = kept_call::take(wish)) {
    struct give_back_at_exit {
      ~give_back_at_exit() { kept_call::give_back(); }
    } const at_exit;
    return run_in(*kept, real);
  }
  region_call call{.wish = wish, .region = {}};
  return run_in(call, real);
}

// Runs a region through the runtime's `real`: (body, data, threads or teams, further arguments of
// the construct). Inline, and not noexcept, so that a call is passed on by a tail call.
template <class Result, class... Details>
[[gnu::always_inline]] inline Result run_by(Result (*real)(body, void*, unsigned, Details...),
                                            const region_wish& wish, unsigned size,
                                            std::type_identity_t<Details>... details) {
  if (is_not_ours()) {
    return real(wish.routine, wish.data, size, details...);
  }
  return run_region(wish,
                    [&](body part, void* passed) { return real(part, passed, size, details...); });
}

// The barrier at the end of a worksharing construct.
void end_worksharing(void (*end_without_barrier)()) noexcept {
  end_without_barrier();
  barrier(thread::here());
}

// Whether the runtime below has created the team without us.
bool is_unknown_region(const thread& self) noexcept {
  return self.inner == &self.root && threads_of_region() != 1;
}

void meet() noexcept {
  thread& self = thread::here();
  if (is_unknown_region(self)) {
    drain(self);
    FINEGRAIN_OMP_NEXT(GOMP_barrier)();
  } else {
    barrier(self);
  }
}

// A region that two calls open and close; between them the caller runs the body itself.
struct open_region : frame {
  region_call call;
};

// Opens one through the runtime's `real`: (body, data, threads, further arguments of the
// construct).
template <class... Details>
void open_by(void (*real)(body, void*, unsigned, Details...), body routine, void* data,
             unsigned threads, std::type_identity_t<Details>... details) noexcept {
  if (is_not_ours()) {
    real(routine, data, threads, details...);
    return;
  }
  auto* const opened = new (std::nothrow) open_region;
  if (opened == nullptr) {
    end_without_memory("a region");
  }
  opened->call.wish = {.routine = routine, .data = data};
  real(&run_part, &opened->call, threads, details...);
  thread& self = thread::here();
  enter_region(self, *opened, opened->call.region);
  ++self.regions;
}

}  // namespace

// Emitted for a parallel construct; returns when all threads have run the body.
FINEGRAIN_OMP_ENTRY void GOMP_parallel(body routine, void* data, unsigned threads, unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel), {.routine = routine, .data = data}, threads,
                flags);
}

// Emitted for a parallel construct with reduction(task, ...), whose array the data's first word
// points to; returns the number of threads when all of them have run the body.
FINEGRAIN_OMP_ENTRY unsigned GOMP_parallel_reductions(body routine, void* data, unsigned threads,
                                                      unsigned flags) {
  return run_by(
      FINEGRAIN_OMP_NEXT(GOMP_parallel_reductions),
      {.reductions = *static_cast<reduction_array*>(data), .routine = routine, .data = data},
      threads, flags);
}

// Emitted for a combined parallel sections construct; returns when all sections are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections(body routine, void* data, unsigned threads,
                                                unsigned count, unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_sections), {.routine = routine, .data = data},
                threads, count, flags);
}

// Part of the ABI, though gcc computes a static schedule inline; returns when all iterations are
// done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_static(body routine, void* data, unsigned threads,
                                                   long start, long end, long step, long chunk,
                                                   unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_static), {.routine = routine, .data = data},
                threads, start, end, step, chunk, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(monotonic: dynamic), before
// gcc 9 also without the modifier; returns when all iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_dynamic(body routine, void* data, unsigned threads,
                                                    long start, long end, long step, long chunk,
                                                    unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_dynamic), {.routine = routine, .data = data},
                threads, start, end, step, chunk, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(monotonic: guided), before
// gcc 9 also without the modifier; returns when all iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_guided(body routine, void* data, unsigned threads,
                                                   long start, long end, long step, long chunk,
                                                   unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_guided), {.routine = routine, .data = data},
                threads, start, end, step, chunk, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(dynamic); returns when all
// iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_dynamic(body routine, void* data,
                                                                 unsigned threads, long start,
                                                                 long end, long step, long chunk,
                                                                 unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_nonmonotonic_dynamic),
                {.routine = routine, .data = data}, threads, start, end, step, chunk, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(guided); returns when all
// iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_guided(body routine, void* data,
                                                                unsigned threads, long start,
                                                                long end, long step, long chunk,
                                                                unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_nonmonotonic_guided),
                {.routine = routine, .data = data}, threads, start, end, step, chunk, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(monotonic: runtime), before
// gcc 9 also without the modifier; returns when all iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_runtime(body routine, void* data, unsigned threads,
                                                    long start, long end, long step,
                                                    unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_runtime), {.routine = routine, .data = data},
                threads, start, end, step, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(nonmonotonic: runtime);
// returns when all iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_runtime(body routine, void* data,
                                                                 unsigned threads, long start,
                                                                 long end, long step,
                                                                 unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_nonmonotonic_runtime),
                {.routine = routine, .data = data}, threads, start, end, step, flags);
}

// Emitted for a combined parallel loop of constant bounds with schedule(runtime); returns when all
// iterations are done.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_maybe_nonmonotonic_runtime(body routine, void* data,
                                                                       unsigned threads, long start,
                                                                       long end, long step,
                                                                       unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_maybe_nonmonotonic_runtime),
                {.routine = routine, .data = data}, threads, start, end, step, flags);
}

// Emitted for a teams construct on the host; returns when all teams have run the body.
FINEGRAIN_OMP_ENTRY void GOMP_teams_reg(body routine, void* data, unsigned teams, unsigned threads,
                                        unsigned flags) {
  return run_by(FINEGRAIN_OMP_NEXT(GOMP_teams_reg),
                {.routine = routine, .data = data, .is_teams = true}, teams, threads, flags);
}

// Emitted before gcc 4.9 for a parallel construct; returns in the caller, which then runs the body
// itself and calls GOMP_parallel_end.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_start(body routine, void* data, unsigned threads) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_start), routine, data, threads);
}

// Emitted before gcc 4.9 for a combined parallel loop with schedule(static); returns as
// GOMP_parallel_start does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_static_start(body routine, void* data, unsigned threads,
                                                         long start, long end, long step,
                                                         long chunk) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_static_start), routine, data, threads, start, end,
          step, chunk);
}

// Emitted before gcc 4.9 for a combined parallel loop with schedule(dynamic); returns as
// GOMP_parallel_start does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_dynamic_start(body routine, void* data,
                                                          unsigned threads, long start, long end,
                                                          long step, long chunk) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_dynamic_start), routine, data, threads, start, end,
          step, chunk);
}

// Emitted before gcc 4.9 for a combined parallel loop with schedule(guided); returns as
// GOMP_parallel_start does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_guided_start(body routine, void* data, unsigned threads,
                                                         long start, long end, long step,
                                                         long chunk) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_guided_start), routine, data, threads, start, end,
          step, chunk);
}

// Emitted before gcc 4.9 for a combined parallel loop with schedule(runtime); returns as
// GOMP_parallel_start does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_runtime_start(body routine, void* data,
                                                          unsigned threads, long start, long end,
                                                          long step) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_loop_runtime_start), routine, data, threads, start, end,
          step);
}

// Emitted before gcc 4.9 for a combined parallel sections construct; returns as GOMP_parallel_start
// does.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections_start(body routine, void* data, unsigned threads,
                                                      unsigned count) {
  open_by(FINEGRAIN_OMP_NEXT(GOMP_parallel_sections_start), routine, data, threads, count);
}

// Emitted before gcc 4.9 after the caller's own run of the body; returns when all threads have run
// it.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_end() {
  const auto real = FINEGRAIN_OMP_NEXT(GOMP_parallel_end);
  if (is_not_ours()) {
    return real();
  }
  thread& self = thread::here();
  const std::unique_ptr<open_region> ended{static_cast<open_region*>(self.inner)};
  end_part(self);
  real();
  dissolve(ended->call.region);
}

// Emitted for a barrier construct and at the end of constructs that imply one; returns when all
// threads have arrived and all tasks are done.
FINEGRAIN_OMP_ENTRY void GOMP_barrier() {
  is_not_ours() ? FINEGRAIN_OMP_NEXT(GOMP_barrier)() : meet();
}

// Emitted instead of GOMP_barrier in a region with a cancel parallel construct; returns whether the
// region is cancelled, which the caller then leaves. Without cancellation, which `is_not_ours` has
// checked, no thread leaves a region early.
FINEGRAIN_OMP_ENTRY bool GOMP_barrier_cancel() {
  if (is_not_ours()) {
    return FINEGRAIN_OMP_NEXT(GOMP_barrier_cancel)();
  }
  meet();
  return false;
}

// Emitted at the end of a loop that the runtime schedules, without nowait; returns after its
// barrier.
FINEGRAIN_OMP_ENTRY void GOMP_loop_end() {
  is_not_ours() ? FINEGRAIN_OMP_NEXT(GOMP_loop_end)()
                : end_worksharing(FINEGRAIN_OMP_NEXT(GOMP_loop_end_nowait));
}

// Emitted instead of GOMP_loop_end in a region with a cancel parallel construct; returns whether
// the region is cancelled, which the caller then leaves.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_end_cancel() {
  if (is_not_ours()) {
    return FINEGRAIN_OMP_NEXT(GOMP_loop_end_cancel)();
  }
  end_worksharing(FINEGRAIN_OMP_NEXT(GOMP_loop_end_nowait));
  return false;
}

// Emitted at the end of a sections construct without nowait; returns after its barrier.
FINEGRAIN_OMP_ENTRY void GOMP_sections_end() {
  is_not_ours() ? FINEGRAIN_OMP_NEXT(GOMP_sections_end)()
                : end_worksharing(FINEGRAIN_OMP_NEXT(GOMP_sections_end_nowait));
}

// Emitted instead of GOMP_sections_end in a region with a cancel parallel construct; returns
// whether the region is cancelled, which the caller then leaves.
FINEGRAIN_OMP_ENTRY bool GOMP_sections_end_cancel() {
  if (is_not_ours()) {
    return FINEGRAIN_OMP_NEXT(GOMP_sections_end_cancel)();
  }
  end_worksharing(FINEGRAIN_OMP_NEXT(GOMP_sections_end_nowait));
  return false;
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
