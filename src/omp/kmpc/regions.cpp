// LLVM's entry points for regions and barriers: the real ones, with our part around the body.
#include "regions.hpp"

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <new>
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

// The call of a region, on its way through the runtime below to the threads of the team.
struct region_call {
  region place;
  ident* where;
  micro_task body;
  std::vector<void*> arguments;
  bool is_teams;  // the threads that begin teams are not a team
};

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
    self.inner->place->expects_tasks ? barrier(self) : drain(self);
  }
}

void call_body(const region_call& call, std::int32_t* gtid, std::int32_t* btid) noexcept {
  // The callee takes its arguments by value.
  kmpc::call(call.body, gtid, btid, call.arguments.size(),
             const_cast<void**>(call.arguments.data()));
}

// What the runtime below runs on each thread in the place of the body.
void run_part(std::int32_t* gtid, std::int32_t* btid, region_call* call) noexcept {
  thread& self = thread::here();
  const bool was_in_runtime = std::exchange(self.in_runtime, false);
  const std::uint64_t tasks_before = self.tasks;
  frame part;
  const std::size_t size = call->is_teams ? 1 : team_size(call->where);
  self.enter(part, call->place, size == 1 ? 0 : static_cast<std::size_t>(*btid), size, *gtid);
  ++self.regions;
  call_body(*call, gtid, btid);
  if (self.tasks != tasks_before) {
    call->place.made_tasks.store(true, memory_order_relaxed);  // read behind the region's end
  }
  end_part(self);
  self.in_runtime = was_in_runtime;
}

using fork = void(ident*, std::int32_t, micro_task, ...);

// Runs the region through `real`.
void run_region(fork* real, ident* where, micro_task body, std::vector<void*> arguments,
                bool is_teams) noexcept {
  region_call call{.place = {},
                   .where = where,
                   .body = body,
                   .arguments = std::move(arguments),
                   .is_teams = is_teams};
  const auto part = reinterpret_cast<micro_task>(&run_part);
  static const bool told = announce("kmpc", reinterpret_cast<const void*>(real));
  static_cast<void>(told);
  const void* const code = reinterpret_cast<const void*>(call.body);
  call.place.expects_tasks = region_memory::instance().expects_tasks(code);
  thread& self = thread::here();
  const bool was_in_runtime = std::exchange(self.in_runtime, true);
  real(call.where, 1, part, &call);
  self.in_runtime = was_in_runtime;
  dissolve(call.place);
  // Relaxed: the end of the region, in `real`, orders it behind the threads' stores.
  const bool made_tasks = call.place.made_tasks.load(memory_order_relaxed);
  region_memory::instance().remember(code, made_tasks);
}

std::vector<void*> collect(std::int32_t count, std::va_list list) {
  std::vector<void*> arguments(static_cast<std::size_t>(count));
  for (void*& each : arguments) {
    each = va_arg(list, void*);
  }
  return arguments;
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
  run_region(real, where, body, collect(count, list), false);
  va_end(list);
}

void fork_teams(ident* where, std::int32_t count, micro_task body, ...) {
  std::va_list list;
  va_start(list, body);
  run_region(next_function<"__kmpc_fork_teams", fork>(), where, body, collect(count, list), true);
  va_end(list);
}

// Compiled code asks for it ahead of most calls.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_global_thread_num(ident* where) {
  if (!is_passive()) {
    const thread& self = thread::here();
    if (self.inner != &self.root && self.inner->runtime_id >= 0) {
      return self.inner->runtime_id;
    }
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

FINEGRAIN_OMP_ENTRY void __kmpc_fork_call_if(ident* where, std::int32_t count, micro_task body,
                                             std::int32_t condition, void* arguments) {
  if (is_passive()) {
    next_function<"__kmpc_fork_call_if", void(ident*, std::int32_t, micro_task, std::int32_t,
                                              void*)>()(where, count, body, condition, arguments);
    return;
  }
  if (condition != 0) {
    run_region(next_function<"__kmpc_fork_call", fork>(), where, body,
               std::vector<void*>(static_cast<std::size_t>(count), arguments), false);
    return;
  }
  std::int32_t gtid = next_function<"__kmpc_global_thread_num", std::int32_t(ident*)>()(where);
  std::int32_t btid = 0;
  __kmpc_serialized_parallel(where, gtid);
  call(body, &gtid, &btid, static_cast<std::size_t>(count), &arguments);
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
