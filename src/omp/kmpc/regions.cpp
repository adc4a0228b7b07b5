// LLVM's entry points for regions and barriers: wrappers of the runtime's, with our part around the
// body.
// SPDX-License-Identifier: Apache-2.0
#include "regions.hpp"

#include <array>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../region_memory.hpp"
#include "../settings.hpp"
#include "../takeover.hpp"
#include "kmpc.hpp"
#include "microtask.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
// NOLINTBEGIN(readability-avoid-return-with-void-value): tail calls
namespace fg::omp::kmpc {
namespace {

// The traits of a region.
constexpr std::uintptr_t kExpectsTasks = 1;
constexpr std::uintptr_t kIsTeams = 2;  // its threads start teams but are no team themselves

// A region of one thread that two calls open and close.
struct serial_region : frame {
  omp::region own_region;
};

// Whether a call comes from inside the runtime, or is to be passed on.
bool is_not_ours() noexcept { return is_passive() || thread::here().in_runtime; }

std::size_t team_size(ident* where) noexcept {
  return static_cast<std::size_t>(FINEGRAIN_OMP_NEXT(__kmpc_bound_num_threads)(where));
}

// Whether the runtime below has created the team without us.
bool is_unknown_region(const thread& self, ident* where) noexcept {
  return self.inner == &self.root && team_size(where) != 1;
}

// Meets in our barrier before a construct with a barrier of the runtime below, in which no thread
// runs our tasks.
void meet_before_barrier() noexcept {
  if (!is_not_ours()) {
    thread& self = thread::here();
    self.inner->expects_tasks ? barrier(self) : drain(self);
  }
}

// One thread's part of a region: begins before the body, ends after it.
class region_part {
 public:
  using context = omp::region;

  region_part(region& region, std::uintptr_t traits, std::int32_t gtid, std::int32_t btid) noexcept
      : self_{thread::here()},
        was_in_runtime_{std::exchange(self_.in_runtime, false)},
        tasks_before_{self_.tasks} {
    const std::size_t size = (traits & kIsTeams) != 0 ? 1 : team_size(nullptr);
    self_.enter(frame_, region, size == 1 ? 0 : static_cast<std::size_t>(btid), size, gtid);
    frame_.expects_tasks = (traits & kExpectsTasks) != 0;
    ++self_.regions;
  }
  region_part(const region_part&) = delete;
  region_part& operator=(const region_part&) = delete;
  ~region_part() {
    if (self_.tasks != tasks_before_) {
      frame_.region->made_tasks.store(true, memory_order_relaxed);  // read after the region's end
    }
    end_part(self_);
    self_.in_runtime = was_in_runtime_;
  }

 private:
  thread& self_;
  bool was_in_runtime_;
  std::uint64_t tasks_before_;
  frame frame_;
};

// Runs the region through `real`.
void run_region(fork* real, ident* where, micro_task body, std::span<void*> captured,
                bool is_teams) noexcept {
  static const bool told = announce("kmpc", reinterpret_cast<const void*>(real));
  static_cast<void>(told);
  region region;
  const void* const code = reinterpret_cast<const void*>(body);
  const bool expects_tasks = region_memory::instance().expects_tasks(code);
  thread& self = thread::here();
  const bool was_in_runtime = std::exchange(self.in_runtime, true);
  start_region<region_part>(real, where, body, captured, region,
                            (expects_tasks ? kExpectsTasks : 0) | (is_teams ? kIsTeams : 0));
  self.in_runtime = was_in_runtime;
  dissolve(region);
  // Relaxed: the end of the region, in `real`, orders it after the threads' stores.
  const bool made_tasks = region.made_tasks.load(memory_order_relaxed);
  region_memory::instance().remember(code, made_tasks);
}

// Like `run_region`, with the captured variables as compiled code passes them.
void run_variadic(fork* real, ident* where, micro_task body, std::int32_t count, std::va_list list,
                  bool is_teams) noexcept {
  const auto size = static_cast<std::size_t>(count);
  const bool is_direct = size <= kMostDirect;
  std::array<void*, kMostDirect> few;  // NOLINT(*-member-init): those that there are, below
  std::vector<void*> many(is_direct ? 0 : size);
  const std::span<void*> captured{is_direct ? few.data() : many.data(), size};
  for (void*& each : captured) {
    each = va_arg(list, void*);
  }
  run_region(real, where, body, captured, is_teams);
}

// Whether the runtime below opens the region for its hidden helper threads, which must stay in its
// barrier. Compiled code always passes its source location, or its captured variables.
bool is_of_runtime(fork* real, const ident* where, std::int32_t count, micro_task body) noexcept {
  return where == nullptr && count == 0 &&
         are_in_one_library(reinterpret_cast<const void*>(real),
                            reinterpret_cast<const void*>(body));
}

}  // namespace

void fork_call(ident* where, std::int32_t count, micro_task body, ...) {
  fork* const real = FINEGRAIN_OMP_NEXT(__kmpc_fork_call);
  if (is_of_runtime(real, where, count, body)) [[unlikely]] {
    real(where, count, body);
    return;
  }
  std::va_list list;
  va_start(list, body);
  run_variadic(real, where, body, count, list, false);
  va_end(list);
}

void fork_teams(ident* where, std::int32_t count, micro_task body, ...) {
  std::va_list list;
  va_start(list, body);
  run_variadic(FINEGRAIN_OMP_NEXT(__kmpc_fork_teams), where, body, count, list, true);
  va_end(list);
}

// Emitted at the beginning of a function that calls the runtime; returns the runtime's number of
// the thread.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_global_thread_num(ident* where) {
  const thread* const self = thread::known();
  if (self != nullptr && self->inner != &self->root && self->inner->runtime_id >= 0) [[likely]] {
    return self->inner->runtime_id;
  }
  return FINEGRAIN_OMP_NEXT(__kmpc_global_thread_num)(where);
}

// Emitted for a parallel construct with a false if clause, before the caller runs the body itself;
// returns after opening a region of one thread.
FINEGRAIN_OMP_ENTRY void __kmpc_serialized_parallel(ident* where, std::int32_t gtid) {
  const auto real = FINEGRAIN_OMP_NEXT(__kmpc_serialized_parallel);
  if (is_not_ours()) {
    return real(where, gtid);
  }
  real(where, gtid);
  auto* const made = new (std::nothrow) serial_region;
  if (made == nullptr) {
    end_without_memory("a region");
  }
  thread& self = thread::here();
  self.enter(*made, made->own_region, 0, 1, gtid);
  ++self.regions;
}

// Emitted after the caller has run the body itself; returns after closing the region of one thread.
FINEGRAIN_OMP_ENTRY void __kmpc_end_serialized_parallel(ident* where, std::int32_t gtid) {
  if (!is_not_ours()) {
    thread& self = thread::here();
    const std::unique_ptr<serial_region> ended{static_cast<serial_region*>(self.inner)};
    end_part(self);
    dissolve(ended->own_region);
  }
  FINEGRAIN_OMP_NEXT(__kmpc_end_serialized_parallel)(where, gtid);
}

// Emitted by LLVM's OpenMPIRBuilder for a parallel construct with an if clause; returns when all
// threads, or the caller alone, have run the body. `captured`: a pointer to all captured variables,
// if there are any.
FINEGRAIN_OMP_ENTRY void __kmpc_fork_call_if(ident* where, std::int32_t count, micro_task body,
                                             std::int32_t condition, void* captured) {
  if (is_passive()) {
    return FINEGRAIN_OMP_NEXT(__kmpc_fork_call_if)(where, count, body, condition, captured);
  }
  if (condition != 0) {
    run_region(FINEGRAIN_OMP_NEXT(__kmpc_fork_call), where, body,
               {&captured, static_cast<std::size_t>(count)}, false);
    return;
  }
  std::int32_t gtid = FINEGRAIN_OMP_NEXT(__kmpc_global_thread_num)(where);
  std::int32_t btid = 0;
  __kmpc_serialized_parallel(where, gtid);
  // A body without the parameter ignores it.
  reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, void*)>(body)(&gtid, &btid, captured);
  __kmpc_end_serialized_parallel(where, gtid);
}

// Emitted for a barrier construct and at the end of constructs that imply one; returns when all
// threads have arrived and all tasks are done.
FINEGRAIN_OMP_ENTRY void __kmpc_barrier(ident* where, std::int32_t gtid) {
  const auto real = FINEGRAIN_OMP_NEXT(__kmpc_barrier);
  if (is_not_ours()) {
    return real(where, gtid);
  }
  thread& self = thread::here();
  if (is_unknown_region(self, where)) {
    drain(self);
    real(where, gtid);
    return;
  }
  barrier(self);
}

// Emitted instead of __kmpc_barrier in a region with a cancel parallel construct; returns nonzero
// if the region is cancelled, which the caller then leaves. Our own barrier cannot be used, because
// threads may leave the region and never arrive here.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancel_barrier(ident* where, std::int32_t gtid) {
  if (!is_not_ours()) {
    drain(thread::here());
  }
  return FINEGRAIN_OMP_NEXT(__kmpc_cancel_barrier)(where, gtid);
}

// Emitted at the end of a construct with reductions and without nowait; returns 1 to a thread that
// combines the results, 2 to one that does so atomically, 0 to one that has nothing to do.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_reduce(ident* where, std::int32_t gtid, std::int32_t count,
                                               std::size_t bytes, void* data,
                                               void (*combine)(void*, void*), void* lock) {
  meet_before_barrier();
  return FINEGRAIN_OMP_NEXT(__kmpc_reduce)(where, gtid, count, bytes, data, combine, lock);
}

// Emitted at the end of a single construct with copyprivate; returns when all threads have the
// values of the one that ran it.
FINEGRAIN_OMP_ENTRY void __kmpc_copyprivate(ident* where, std::int32_t gtid, std::size_t bytes,
                                            void* data, void (*copy)(void*, void*),
                                            std::int32_t did_it) {
  meet_before_barrier();
  FINEGRAIN_OMP_NEXT(__kmpc_copyprivate)(where, gtid, bytes, data, copy, did_it);
}

// Not emitted by clang, but part of the ABI, for a single construct with copyprivate; returns the
// data of the thread that ran it, which the caller copies.
FINEGRAIN_OMP_ENTRY void* __kmpc_copyprivate_light(ident* where, std::int32_t gtid, void* data) {
  meet_before_barrier();
  return FINEGRAIN_OMP_NEXT(__kmpc_copyprivate_light)(where, gtid, data);
}

// Emitted from clang 18 on in the task of a target construct with a thread_limit clause; returns
// after setting the limit for that task.
FINEGRAIN_OMP_ENTRY void __kmpc_set_thread_limit(void* where, int gtid, int limit) {
  const auto real = FINEGRAIN_OMP_NEXT(__kmpc_set_thread_limit);
  const thread& self = thread::here();
  if (is_passive() || self.running->is(task::kImplicit)) {
    return real(where, gtid, limit);
  }
  self.inner->runtime_id = gtid;
  self.before_setting();
  real(where, gtid, limit);
  self.after_setting();
}

}  // namespace fg::omp::kmpc
// NOLINTEND(readability-avoid-return-with-void-value)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
