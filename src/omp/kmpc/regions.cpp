// LLVM's entry points for regions and barriers: the real ones, with our part around the body.
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
namespace fg::omp::kmpc {
namespace {

// What each thread is told of a region.
constexpr std::uintptr_t kExpectsTasks = 1;
constexpr std::uintptr_t kIsTeams = 2;  // the threads that begin teams are not a team

// A region of one thread that is begun and ended by two calls.
struct serial_region : frame {
  region own_place;
};

// A call that comes from inside the runtime, or that we leave alone.
bool is_not_ours() noexcept { return is_passive() || thread::here().in_runtime; }

std::size_t team_size(ident* where) noexcept {
  return static_cast<std::size_t>(
      next_function<"__kmpc_bound_num_threads", std::int32_t(ident*)>()(where));
}

// A team that the runtime below has made without us.
bool is_unknown_region(const thread& self, ident* where) noexcept {
  return self.inner == &self.root && team_size(where) != 1;
}

// Ahead of a construct with a barrier inside the runtime below, where no thread runs our tasks.
void meet_before_barrier() noexcept {
  if (!is_not_ours()) {
    thread& self = thread::here();
    self.inner->expects_tasks ? barrier(self) : drain(self);
  }
}

// One thread's part of a region, around the body.
class region_part {
 public:
  using context = region;

  region_part(region& place, std::uintptr_t traits, std::int32_t gtid, std::int32_t btid) noexcept
      : self_{thread::here()},
        was_in_runtime_{std::exchange(self_.in_runtime, false)},
        tasks_before_{self_.tasks} {
    const std::size_t size = (traits & kIsTeams) != 0 ? 1 : team_size(nullptr);
    self_.enter(frame_, place, size == 1 ? 0 : static_cast<std::size_t>(btid), size, gtid);
    frame_.expects_tasks = (traits & kExpectsTasks) != 0;
    ++self_.regions;
  }
  region_part(const region_part&) = delete;
  region_part& operator=(const region_part&) = delete;
  ~region_part() {
    if (self_.tasks != tasks_before_) {
      frame_.place->made_tasks.store(true, memory_order_relaxed);  // read behind the region's end
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
  region place;
  const void* const code = reinterpret_cast<const void*>(body);
  const bool expects_tasks = region_memory::instance().expects_tasks(code);
  thread& self = thread::here();
  const bool was_in_runtime = std::exchange(self.in_runtime, true);
  start_region<region_part>(real, where, body, captured, place,
                            (expects_tasks ? kExpectsTasks : 0) | (is_teams ? kIsTeams : 0));
  self.in_runtime = was_in_runtime;
  dissolve(place);
  // Relaxed: the end of the region, in `real`, orders it behind the threads' stores.
  const bool made_tasks = place.made_tasks.load(memory_order_relaxed);
  region_memory::instance().remember(code, made_tasks);
}

// The same with the captured variables as compiled code passes them.
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

// The runtime below opens a region for its hidden helper threads, which have to stay in its
// barrier. Compiled code always says where it is, and passes on what it captures.
bool is_of_runtime(fork* real, const ident* where, std::int32_t count, micro_task body) noexcept {
  return where == nullptr && count == 0 &&
         are_in_one_library(reinterpret_cast<const void*>(real),
                            reinterpret_cast<const void*>(body));
}

}  // namespace

void fork_call(ident* where, std::int32_t count, micro_task body, ...) {
  fork* const real = next_function<"__kmpc_fork_call", fork>();
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
  run_variadic(next_function<"__kmpc_fork_teams", fork>(), where, body, count, list, true);
  va_end(list);
}

// Compiled code asks for it ahead of most calls.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_global_thread_num(ident* where) {
  const thread* const self = thread::known();
  if (self != nullptr && self->inner != &self->root && self->inner->runtime_id >= 0) [[likely]] {
    return self->inner->runtime_id;
  }
  return next_function<"__kmpc_global_thread_num", std::int32_t(ident*)>()(where);
}

FINEGRAIN_OMP_ENTRY void __kmpc_serialized_parallel(ident* where, std::int32_t gtid) {
  const auto real = next_function<"__kmpc_serialized_parallel", void(ident*, std::int32_t)>();
  if (is_not_ours()) {
    real(where, gtid);
    return;
  }
  real(where, gtid);
  auto* const made = new (std::nothrow) serial_region;
  if (made == nullptr) {
    end_without_memory("a region");
  }
  thread& self = thread::here();
  self.enter(*made, made->own_place, 0, 1, gtid);
  ++self.regions;
}

FINEGRAIN_OMP_ENTRY void __kmpc_end_serialized_parallel(ident* where, std::int32_t gtid) {
  if (!is_not_ours()) {
    thread& self = thread::here();
    const std::unique_ptr<serial_region> ended{static_cast<serial_region*>(self.inner)};
    end_part(self);
    dissolve(ended->own_place);
  }
  next_function<"__kmpc_end_serialized_parallel", void(ident*, std::int32_t)>()(where, gtid);
}

// With at most one captured variable, a pointer to all of them.
FINEGRAIN_OMP_ENTRY void __kmpc_fork_call_if(ident* where, std::int32_t count, micro_task body,
                                             std::int32_t condition, void* captured) {
  if (is_passive()) {
    next_function<"__kmpc_fork_call_if", void(ident*, std::int32_t, micro_task, std::int32_t,
                                              void*)>()(where, count, body, condition, captured);
    return;
  }
  if (condition != 0) {
    run_region(next_function<"__kmpc_fork_call", fork>(), where, body,
               {&captured, static_cast<std::size_t>(count)}, false);
    return;
  }
  std::int32_t gtid = next_function<"__kmpc_global_thread_num", std::int32_t(ident*)>()(where);
  std::int32_t btid = 0;
  __kmpc_serialized_parallel(where, gtid);
  // A body without the parameter takes no notice of it.
  reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, void*)>(body)(&gtid, &btid, captured);
  __kmpc_end_serialized_parallel(where, gtid);
}

FINEGRAIN_OMP_ENTRY void __kmpc_barrier(ident* where, std::int32_t gtid) {
  const auto real = next_function<"__kmpc_barrier", void(ident*, std::int32_t)>();
  if (is_not_ours()) {
    real(where, gtid);
    return;
  }
  thread& self = thread::here();
  if (is_unknown_region(self, where)) {
    drain(self);
    real(where, gtid);
    return;
  }
  barrier(self);
}

FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancel_barrier(ident* where, std::int32_t gtid) {
  // Threads may leave the region and never come here: it can not be ours.
  if (!is_not_ours()) {
    drain(thread::here());
  }
  return next_function<"__kmpc_cancel_barrier", std::int32_t(ident*, std::int32_t)>()(where, gtid);
}

FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_reduce(ident* where, std::int32_t gtid, std::int32_t count,
                                               std::size_t bytes, void* data,
                                               void (*combine)(void*, void*), void* lock) {
  meet_before_barrier();
  return next_function<"__kmpc_reduce",
                       std::int32_t(ident*, std::int32_t, std::int32_t, std::size_t, void*,
                                    void (*)(void*, void*), void*)>()(where, gtid, count, bytes,
                                                                      data, combine, lock);
}

FINEGRAIN_OMP_ENTRY void __kmpc_copyprivate(ident* where, std::int32_t gtid, std::size_t bytes,
                                            void* data, void (*copy)(void*, void*),
                                            std::int32_t did_it) {
  meet_before_barrier();
  next_function<"__kmpc_copyprivate", void(ident*, std::int32_t, std::size_t, void*,
                                           void (*)(void*, void*), std::int32_t)>()(
      where, gtid, bytes, data, copy, did_it);
}

FINEGRAIN_OMP_ENTRY void* __kmpc_copyprivate_light(ident* where, std::int32_t gtid, void* data) {
  meet_before_barrier();
  return next_function<"__kmpc_copyprivate_light", void*(ident*, std::int32_t, void*)>()(
      where, gtid, data);
}

}  // namespace fg::omp::kmpc
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
