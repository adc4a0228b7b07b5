// GNU's entry points for regions and barriers: the real ones, with our part around the body.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../region_memory.hpp"
#include "../settings.hpp"
#include "finegrain/core/cache_line.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::gomp {
namespace {

// What a region is called with.
struct region_wish {
  // The runtime takes the first word of the data for the reductions of GOMP_parallel_reductions.
  reduction_array reductions = nullptr;
  body routine = nullptr;
  void* data = nullptr;
  bool is_teams = false;  // each team's initial thread is alone
  bool expects_tasks = true;

  bool operator==(const region_wish&) const = default;
};

// The call of a region, which each of its threads reads, on a line of its own.
struct alignas(kCacheLineBytes) region_call {
  region_wish wish;
  region place;
};
static_assert(sizeof(region_call) == kCacheLineBytes);

// Where a thread's regions have their call, one after the other: what is as it was the last time is
// not written again, so that in a loop around a region the line stays with all who read it. Only
// for those that are not nested.
class kept_call {
 public:
  // Null: in use.
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
    mine.call_.place.renew();
  }

 private:
  static kept_call& of_this_thread() noexcept {
    constinit static thread_local kept_call mine;
    return mine;
  }

  region_call call_;
  bool in_use_ = false;  // on the next line, which nobody else reads
};

int threads_of_region() noexcept {
  return function_beside<"GOMP_parallel", "omp_get_num_threads", int()>()();
}

// What the runtime below runs on each thread in the place of the body.
void run_part(void* data) noexcept {
  auto& call = *static_cast<region_call*>(data);
  thread& self = thread::here();
  const std::uint64_t tasks_before = self.tasks;
  frame part;
  if (call.wish.is_teams) {
    self.enter(part, call.place, 0, 1, -1);
  } else {
    enter_region(self, part, call.place);
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
    call.place.made_tasks.store(true, memory_order_relaxed);  // read behind the region's end
  }
  end_part(self);
}

void tell_runtime() noexcept {
  static const bool told = announce("GOMP", find_next("GOMP_parallel"));
  static_cast<void>(told);
}

// Runs `real`, which is given the body and the data to pass on.
template <class Real>
auto run_in(region_call& call, Real real) noexcept {
  struct remember_at_exit {
    region_call& of;
    ~remember_at_exit() {
      dissolve(of.place);
      region_memory::instance().remember(reinterpret_cast<const void*>(of.wish.routine),
                                         of.place.made_tasks.load(memory_order_relaxed));
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
  region_call call{.wish = wish, .place = {}};
  return run_in(call, real);
}

// The barrier at the end of a worksharing construct.
void end_worksharing(void (*end_without_barrier)()) noexcept {
  end_without_barrier();
  barrier(thread::here());
}

// A team that the runtime below has made without us.
bool is_unknown_region(const thread& self) noexcept {
  return self.inner == &self.root && threads_of_region() != 1;
}

void meet() noexcept {
  thread& self = thread::here();
  if (is_unknown_region(self)) {
    drain(self);
    next_function<"GOMP_barrier", void()>()();
  } else {
    barrier(self);
  }
}

// Of the calls with a schedule in their name: (body, data, threads, start, end, increment, chunk,
// flags).
template <function_name Name>
void run_loop_region(body routine, void* data, unsigned threads, long start, long end, long step,
                     long chunk, unsigned flags) noexcept {
  const auto real =
      next_function<Name, void(body, void*, unsigned, long, long, long, long, unsigned)>();
  if (is_not_ours()) {
    real(routine, data, threads, start, end, step, chunk, flags);
    return;
  }
  run_region({.routine = routine, .data = data}, [&](body part, void* passed) {
    real(part, passed, threads, start, end, step, chunk, flags);
  });
}

// The same without a chunk.
template <function_name Name>
void run_runtime_loop_region(body routine, void* data, unsigned threads, long start, long end,
                             long step, unsigned flags) noexcept {
  const auto real = next_function<Name, void(body, void*, unsigned, long, long, long, unsigned)>();
  if (is_not_ours()) {
    real(routine, data, threads, start, end, step, flags);
    return;
  }
  run_region({.routine = routine, .data = data}, [&](body part, void* passed) {
    real(part, passed, threads, start, end, step, flags);
  });
}

// A region that is begun and ended by two calls, between which the caller runs the body itself.
struct open_region : frame {
  region_call call;
};

// Begins one by `Name`: (body, data, threads, what the worksharing construct wants to know).
template <function_name Name, class... Details>
void begin_region(body routine, void* data, unsigned threads, Details... details) noexcept {
  const auto real = next_function<Name, void(body, void*, unsigned, Details...)>();
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
  enter_region(self, *opened, opened->call.place);
  ++self.regions;
}

}  // namespace

void enter_region(thread& self, frame& part, region& place) noexcept {
  const auto size = static_cast<std::size_t>(threads_of_region());
  const int number = function_beside<"GOMP_parallel", "omp_get_thread_num", int()>()();
  self.enter(part, place, static_cast<std::size_t>(number), size, -1);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel(body routine, void* data, unsigned threads, unsigned flags) {
  const auto real = next_function<"GOMP_parallel", void(body, void*, unsigned, unsigned)>();
  if (is_not_ours()) {
    real(routine, data, threads, flags);
    return;
  }
  run_region({.routine = routine, .data = data},
             [&](body part, void* passed) { real(part, passed, threads, flags); });
}

FINEGRAIN_OMP_ENTRY unsigned GOMP_parallel_reductions(body routine, void* data, unsigned threads,
                                                      unsigned flags) {
  const auto real =
      next_function<"GOMP_parallel_reductions", unsigned(body, void*, unsigned, unsigned)>();
  if (is_not_ours()) {
    return real(routine, data, threads, flags);
  }
  return run_region(
      {.reductions = *static_cast<reduction_array*>(data), .routine = routine, .data = data},
      [&](body part, void* passed) { return real(part, passed, threads, flags); });
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections(body routine, void* data, unsigned threads,
                                                unsigned count, unsigned flags) {
  const auto real =
      next_function<"GOMP_parallel_sections", void(body, void*, unsigned, unsigned, unsigned)>();
  if (is_not_ours()) {
    real(routine, data, threads, count, flags);
    return;
  }
  run_region({.routine = routine, .data = data},
             [&](body part, void* passed) { real(part, passed, threads, count, flags); });
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_static(body routine, void* data, unsigned threads,
                                                   long start, long end, long step, long chunk,
                                                   unsigned flags) {
  run_loop_region<"GOMP_parallel_loop_static">(routine, data, threads, start, end, step, chunk,
                                               flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_dynamic(body routine, void* data, unsigned threads,
                                                    long start, long end, long step, long chunk,
                                                    unsigned flags) {
  run_loop_region<"GOMP_parallel_loop_dynamic">(routine, data, threads, start, end, step, chunk,
                                                flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_guided(body routine, void* data, unsigned threads,
                                                   long start, long end, long step, long chunk,
                                                   unsigned flags) {
  run_loop_region<"GOMP_parallel_loop_guided">(routine, data, threads, start, end, step, chunk,
                                               flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_dynamic(body routine, void* data,
                                                                 unsigned threads, long start,
                                                                 long end, long step, long chunk,
                                                                 unsigned flags) {
  run_loop_region<"GOMP_parallel_loop_nonmonotonic_dynamic">(routine, data, threads, start, end,
                                                             step, chunk, flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_guided(body routine, void* data,
                                                                unsigned threads, long start,
                                                                long end, long step, long chunk,
                                                                unsigned flags) {
  run_loop_region<"GOMP_parallel_loop_nonmonotonic_guided">(routine, data, threads, start, end,
                                                            step, chunk, flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_runtime(body routine, void* data, unsigned threads,
                                                    long start, long end, long step,
                                                    unsigned flags) {
  run_runtime_loop_region<"GOMP_parallel_loop_runtime">(routine, data, threads, start, end, step,
                                                        flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_nonmonotonic_runtime(body routine, void* data,
                                                                 unsigned threads, long start,
                                                                 long end, long step,
                                                                 unsigned flags) {
  run_runtime_loop_region<"GOMP_parallel_loop_nonmonotonic_runtime">(routine, data, threads, start,
                                                                     end, step, flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_maybe_nonmonotonic_runtime(body routine, void* data,
                                                                       unsigned threads, long start,
                                                                       long end, long step,
                                                                       unsigned flags) {
  run_runtime_loop_region<"GOMP_parallel_loop_maybe_nonmonotonic_runtime">(routine, data, threads,
                                                                           start, end, step, flags);
}

FINEGRAIN_OMP_ENTRY void GOMP_teams_reg(body routine, void* data, unsigned teams, unsigned threads,
                                        unsigned flags) {
  const auto real =
      next_function<"GOMP_teams_reg", void(body, void*, unsigned, unsigned, unsigned)>();
  if (is_not_ours()) {
    real(routine, data, teams, threads, flags);
    return;
  }
  run_region({.routine = routine, .data = data, .is_teams = true},
             [&](body part, void* passed) { real(part, passed, teams, threads, flags); });
}

// Of binaries older than gcc 4.9.
FINEGRAIN_OMP_ENTRY void GOMP_parallel_start(body routine, void* data, unsigned threads) {
  begin_region<"GOMP_parallel_start">(routine, data, threads);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_static_start(body routine, void* data, unsigned threads,
                                                         long start, long end, long step,
                                                         long chunk) {
  begin_region<"GOMP_parallel_loop_static_start">(routine, data, threads, start, end, step, chunk);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_dynamic_start(body routine, void* data,
                                                          unsigned threads, long start, long end,
                                                          long step, long chunk) {
  begin_region<"GOMP_parallel_loop_dynamic_start">(routine, data, threads, start, end, step, chunk);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_guided_start(body routine, void* data, unsigned threads,
                                                         long start, long end, long step,
                                                         long chunk) {
  begin_region<"GOMP_parallel_loop_guided_start">(routine, data, threads, start, end, step, chunk);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_loop_runtime_start(body routine, void* data,
                                                          unsigned threads, long start, long end,
                                                          long step) {
  begin_region<"GOMP_parallel_loop_runtime_start">(routine, data, threads, start, end, step);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_sections_start(body routine, void* data, unsigned threads,
                                                      unsigned count) {
  begin_region<"GOMP_parallel_sections_start">(routine, data, threads, count);
}

FINEGRAIN_OMP_ENTRY void GOMP_parallel_end() {
  const auto real = next_function<"GOMP_parallel_end", void()>();
  if (is_not_ours()) {
    real();
    return;
  }
  thread& self = thread::here();
  const std::unique_ptr<open_region> ended{static_cast<open_region*>(self.inner)};
  end_part(self);
  real();
  dissolve(ended->call.place);
}

FINEGRAIN_OMP_ENTRY void GOMP_barrier() {
  is_not_ours() ? next_function<"GOMP_barrier", void()>()() : meet();
}

// Without cancellation, which `is_not_ours` has seen to, nobody leaves a region early.
FINEGRAIN_OMP_ENTRY bool GOMP_barrier_cancel() {
  if (is_not_ours()) {
    return next_function<"GOMP_barrier_cancel", bool()>()();
  }
  meet();
  return false;
}

FINEGRAIN_OMP_ENTRY void GOMP_loop_end() {
  is_not_ours() ? next_function<"GOMP_loop_end", void()>()()
                : end_worksharing(next_function<"GOMP_loop_end_nowait", void()>());
}

FINEGRAIN_OMP_ENTRY bool GOMP_loop_end_cancel() {
  if (is_not_ours()) {
    return next_function<"GOMP_loop_end_cancel", bool()>()();
  }
  end_worksharing(next_function<"GOMP_loop_end_nowait", void()>());
  return false;
}

FINEGRAIN_OMP_ENTRY void GOMP_sections_end() {
  is_not_ours() ? next_function<"GOMP_sections_end", void()>()()
                : end_worksharing(next_function<"GOMP_sections_end_nowait", void()>());
}

FINEGRAIN_OMP_ENTRY bool GOMP_sections_end_cancel() {
  if (is_not_ours()) {
    return next_function<"GOMP_sections_end_cancel", bool()>()();
  }
  end_worksharing(next_function<"GOMP_sections_end_nowait", void()>());
  return false;
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
