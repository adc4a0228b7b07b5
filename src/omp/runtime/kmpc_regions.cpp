// LLVM's entry points for regions, barriers and teams, with our own threads.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "../constructs.hpp"
#include "../kmpc/kmpc.hpp"
#include "../kmpc/microtask.hpp"
#include "../settings.hpp"
#include "affinity_format.hpp"
#include "control_setters.hpp"
#include "entry.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
extern "C" int omp_pause_resource_all(int kind);

namespace fg::omp::runtime {
namespace {

using kmpc::ident;
using kmpc::micro_task;

template <std::size_t>
using variable = void*;

// The two numbers of a thread that a body gets.
struct numbers {
  std::int32_t global;
  std::int32_t bound;
  explicit numbers(const thread& self) noexcept
      : global{self.inner->runtime_id}, bound{static_cast<std::int32_t>(self.inner->number)} {}
};

// Compiled code defines the body with exactly as many parameters as there are captured variables.
template <std::size_t... Is>
void call_body(const thread& self, void* body, void* const* captured) noexcept {
  using exact_type = void (*)(std::int32_t*, std::int32_t*, variable<Is>...);
  numbers of{self};
  reinterpret_cast<exact_type>(body)(&of.global, &of.bound, captured[Is]...);
}

using runner = void (*)(const thread&, void*, void* const*);

template <std::size_t... Is>
constexpr runner runner_of(std::index_sequence<Is...> /*numbers*/) {
  return &call_body<Is...>;
}

template <std::size_t... Counts>
constexpr auto runners_of(std::index_sequence<Counts...> /*counts*/) {
  return std::array<runner, sizeof...(Counts)>{runner_of(std::make_index_sequence<Counts>{})...};
}

// Up to this many captured variables the line itself carries them; they need no transfer of their
// own.
constexpr std::size_t kInLine = region_call::kArguments;

template <std::size_t Count>
void run_from_line(thread& self, const region_call& call) {
  constexpr runner kRun = runner_of(std::make_index_sequence<Count>{});
  kRun(self, call.body, call.arguments.data());
}

// Arguments of a call whose captured variables stay in the leader's memory.
enum : std::size_t { kList, kCount };

void run_from_list(thread& self, const region_call& call) {
  static constexpr auto kRunners = runners_of(std::make_index_sequence<kmpc::kMostDirect + 1>{});
  auto* const list = static_cast<void**>(call.arguments[kList]);
  const auto count = reinterpret_cast<std::size_t>(call.arguments[kCount]);
  if (count <= kmpc::kMostDirect) {
    kRunners[count](self, call.body, list);
    return;
  }
  numbers of{self};
  kmpc::detail::call_with_many(reinterpret_cast<micro_task>(call.body), &of.global, &of.bound,
                               {list, count});
}

template <std::size_t... Counts>
constexpr auto line_runners_of(std::index_sequence<Counts...> /*counts*/) {
  return std::array<decltype(region_call::run), sizeof...(Counts)>{&run_from_line<Counts>...};
}
constexpr auto kLineRunners = line_runners_of(std::make_index_sequence<kInLine + 1>{});

// Calls `use` with the region's call, whose list of captured variables lives as long.
template <class Use>
void with_call(micro_task body, std::int32_t count, std::va_list variables, Use use) noexcept {
  const auto size = static_cast<std::size_t>(count);
  region_call call{.run = nullptr, .body = reinterpret_cast<void*>(body), .arguments = {}};
  if (size <= kInLine) [[likely]] {
    for (std::size_t i = 0; i < size; ++i) {
      call.arguments[i] = va_arg(variables, void*);
    }
    call.run = kLineRunners[size];
    use(call);
    return;
  }
  std::array<void*, kmpc::kMostDirect> few;  // NOLINT(*-member-init): those that there are, below
  std::vector<void*> many(size <= few.size() ? 0 : size);
  const std::span<void*> list{size <= few.size() ? few.data() : many.data(), size};
  for (void*& each : list) {
    each = va_arg(variables, void*);
  }
  call.run = &run_from_list;
  call.arguments[kList] = static_cast<void*>(list.data());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number among pointers
  call.arguments[kCount] = reinterpret_cast<void*>(size);
  use(call);
}

}  // namespace

// Emitted for a parallel construct; returns when all threads have run the body.
FINEGRAIN_OMP_ENTRY void __kmpc_fork_call(ident* /*where*/, std::int32_t count, micro_task body,
                                          ...) {
  std::va_list variables;
  va_start(variables, body);
  with_call(body, count, variables, [](const region_call& call) {
    thread& self = thread::here();
    run_region(self, region_size(self, 0), call);
  });
  va_end(variables);
}

// Emitted for a teams construct on the host; returns when all teams have run the body.
FINEGRAIN_OMP_ENTRY void __kmpc_fork_teams(ident* /*where*/, std::int32_t count, micro_task body,
                                           ...) {
  std::va_list variables;
  va_start(variables, body);
  with_call(body, count, variables, [](const region_call& call) {
    thread& self = thread::here();
    implicit_part& part = part_of(self);
    run_teams(self, std::exchange(part.wanted_teams, 0), std::exchange(part.wanted_team_limit, 0),
              call);
  });
  va_end(variables);
}

// Emitted at the beginning of a function that calls the runtime; returns the thread's number in the
// process.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_global_thread_num(ident* /*where*/) {
  return static_cast<std::int32_t>(thread::here().id) - 1;
}

// Part of the ABI: the thread's number in its region, and how many threads that has.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_bound_thread_num(ident* /*where*/) {
  return static_cast<std::int32_t>(thread::here().inner->number);
}
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_bound_num_threads(ident* /*where*/) {
  return static_cast<std::int32_t>(thread::here().inner->size);
}

// Part of the ABI, and without effect: the runtime begins by itself.
FINEGRAIN_OMP_ENTRY void __kmpc_begin(ident* /*where*/, std::int32_t /*flags*/) {}
FINEGRAIN_OMP_ENTRY void __kmpc_end(ident* /*where*/) {}
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_ok_to_fork(ident* /*where*/) { return 1; }
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_in_parallel(ident* /*where*/) {
  return part_of(thread::here()).place->active_level > 0 ? 1 : 0;
}

// Emitted before a parallel construct with a num_threads clause.
FINEGRAIN_OMP_ENTRY void __kmpc_push_num_threads(ident* /*where*/, std::int32_t /*gtid*/,
                                                 std::int32_t threads) {
  part_of(thread::here()).wanted_threads = threads > 0 ? static_cast<unsigned>(threads) : 0;
}

FINEGRAIN_OMP_ENTRY void __kmpc_pop_num_threads(ident* /*where*/, std::int32_t /*gtid*/) {}

// Emitted before a parallel construct with a proc_bind clause.
FINEGRAIN_OMP_ENTRY void __kmpc_push_proc_bind(ident* /*where*/, std::int32_t /*gtid*/,
                                               std::int32_t binding) {
  want_binding(thread::here(), static_cast<unsigned>(binding));
}

// Emitted before a teams construct with a num_teams or thread_limit clause.
FINEGRAIN_OMP_ENTRY void __kmpc_push_num_teams(ident* /*where*/, std::int32_t /*gtid*/,
                                               std::int32_t teams, std::int32_t limit) {
  implicit_part& part = part_of(thread::here());
  part.wanted_teams = teams;
  part.wanted_team_limit = limit;
}
FINEGRAIN_OMP_ENTRY void __kmpc_push_num_teams_51(ident* where, std::int32_t gtid,
                                                  std::int32_t /*least*/, std::int32_t most,
                                                  std::int32_t limit) {
  __kmpc_push_num_teams(where, gtid, most, limit);
}

// Emitted for a parallel construct with a false if clause, before the caller runs the body itself;
// returns after opening a region of one thread.
FINEGRAIN_OMP_ENTRY void __kmpc_serialized_parallel(ident* /*where*/, std::int32_t /*gtid*/) {
  thread& self = thread::here();
  auto* const made = new (std::nothrow) serial_region;
  if (made == nullptr) {
    end_without_memory("a region");
  }
  part_of(self).wanted_threads = 0;
  made->open(self);
  tell_if_wanted(self);
}

// Emitted after the caller has run the body itself; returns after closing the region of one thread.
FINEGRAIN_OMP_ENTRY void __kmpc_end_serialized_parallel(ident* /*where*/, std::int32_t /*gtid*/) {
  thread& self = thread::here();
  const std::unique_ptr<serial_region> ended{static_cast<serial_region*>(self.inner)};
  ended->close(self);
}

// Emitted by LLVM's OpenMPIRBuilder for a parallel construct with an if clause; returns when all
// threads, or the caller alone, have run the body. `captured`: a pointer to all captured variables,
// if there are any.
FINEGRAIN_OMP_ENTRY void __kmpc_fork_call_if(ident* /*where*/, std::int32_t count, micro_task body,
                                             std::int32_t condition, void* captured) {
  thread& self = thread::here();
  const unsigned size = region_size(self, 0);
  // A body without the parameter ignores it.
  run_region(self, condition != 0 ? size : 1,
             {.run = kLineRunners[static_cast<std::size_t>(count)],
              .body = reinterpret_cast<void*>(body),
              .arguments = {captured}});
}

// Emitted from clang 18 on in the task of a target construct with a thread_limit clause; returns
// after setting the limit for that task.
FINEGRAIN_OMP_ENTRY void __kmpc_set_thread_limit(void* where, int gtid, int limit) {
  const thread& self = thread::here();
  self.before_setting();
  setters::set_thread_limit(where, gtid, limit);
  self.after_setting();
}

// Part of the ABI: what omp_pause_resource_all does.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_pause_resource(std::int32_t kind) {
  return omp_pause_resource_all(kind);
}

// Emitted for a barrier construct and at the end of constructs that imply one; returns when all
// threads have arrived and all tasks are done.
FINEGRAIN_OMP_ENTRY void __kmpc_barrier(ident* /*where*/, std::int32_t /*gtid*/) {
  barrier(thread::here());
}

// Emitted instead of __kmpc_barrier in a region with a cancel parallel construct; returns whether
// the region is cancelled, which the caller then leaves.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_cancel_barrier(ident* /*where*/, std::int32_t /*gtid*/) {
  thread& self = thread::here();
  barrier(self);
  return is_region_cancelled(part_of(self)) ? 1 : 0;
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
