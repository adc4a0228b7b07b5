// LLVM's entry points for worksharing: loops, single, master, ordered, doacross, copyprivate.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../constructs.hpp"
#include "../kmpc/kmpc.hpp"
#include "entry.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

using kmpc::ident;

// enum sched_type: ordered ones are 32 more, those that must not be merged 128 more.
enum : std::int32_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kStaticSteal = 44,
  kStaticBalancedChunked = 45,
  kGuidedSimd = 46,
  kRuntimeSimd = 47,
  kOrdered = 64,
  kDistribute = 91,  // chunked; 92: not
  kUnmerged = 160,
  kNonmonotonic = 1 << 30,
  kModifiers = 3 << 29
};

// Iterations from `lower` to `upper`, both included.
template <class Counter, class Step>
std::uint64_t count_of(Counter lower, Counter upper, Step step) noexcept {
  using word = std::make_unsigned_t<Counter>;
  const auto distance = [](Counter from, Counter to) {
    return static_cast<std::uint64_t>(
        static_cast<word>(static_cast<word>(to) - static_cast<word>(from)));
  };
  if (step > 0) {
    return upper < lower ? 0 : distance(lower, upper) / static_cast<std::uint64_t>(step) + 1;
  }
  const std::uint64_t down = std::uint64_t{0} - static_cast<std::uint64_t>(std::int64_t{step});
  return lower < upper ? 0 : distance(upper, lower) / down + 1;
}

// Where a thread, or a team, stands among those that share a static loop.
struct position {
  std::uint64_t number;
  std::uint64_t size;
};

position of_thread(const implicit_part& part) noexcept { return {part.number, part.place->size}; }

position of_team(const implicit_part& part) noexcept {
  const implicit_part* const team = team_around(part);
  return team != nullptr ? position{static_cast<std::uint64_t>(team->team_number),
                                    static_cast<std::uint64_t>(team->teams)}
                         : position{0, 1};
}

// The bounds of a thread's first chunk in a static schedule, in place; the stride leads to its next
// chunk. `chunk`: 0 without one.
template <class Counter, class Step>
void take_static(position at, std::int32_t* is_last, Counter* lower, Counter* upper, Step* stride,
                 Step step, std::uint64_t chunk) noexcept {
  using word = std::make_unsigned_t<Counter>;
  const std::uint64_t count = count_of(*lower, *upper, step);
  bool has_last = false;
  std::uint64_t first = 0;
  std::uint64_t taken = 0;
  *stride = step;
  if (count == 0) {
    if (is_last != nullptr) {
      *is_last = 0;
    }
    return;
  }
  if (chunk == 0) {
    const std::uint64_t each = count / at.size;
    const std::uint64_t more = count % at.size;
    first = each * at.number + std::min(at.number, more);
    taken = each + (at.number < more ? 1 : 0);
    has_last = taken != 0 && first + taken == count;
    *stride = static_cast<Step>(static_cast<word>(count) * static_cast<word>(step));
  } else {
    first = at.number * chunk;
    taken = chunk;
    has_last = (count - 1) / chunk % at.size == at.number;
    *stride = static_cast<Step>(static_cast<word>(chunk * at.size) * static_cast<word>(step));
  }
  if (is_last != nullptr) {
    *is_last = has_last ? 1 : 0;
  }
  const auto at_iteration = [&](std::uint64_t i) {
    return static_cast<Counter>(static_cast<word>(*lower) +
                                static_cast<word>(i) * static_cast<word>(step));
  };
  if (taken == 0) {  // an empty range: its lower bound comes after its upper bound
    *lower = static_cast<Counter>(static_cast<word>(*upper) + static_cast<word>(step));
    return;
  }
  const Counter begin = at_iteration(first);
  const Counter end = at_iteration(first + taken - 1);
  *lower = begin;
  *upper = end;
}

// As equal parts as whole chunks of `unit` iterations allow.
std::uint64_t balanced_chunk(std::uint64_t count, std::uint64_t size, std::uint64_t unit) noexcept {
  return ((count + size - 1) / size + unit - 1) / unit * unit;
}

// The chunk of a static schedule; 0 without one.
template <class Step>
std::uint64_t static_chunk(std::int32_t schedule, Step chunk, std::uint64_t count,
                           std::uint64_t size) noexcept {
  if (schedule == kStaticChunked || schedule == kDistribute) {
    return static_cast<std::uint64_t>(std::max<Step>(chunk, 1));
  }
  if (schedule == kStaticBalancedChunked) {  // for simd
    return balanced_chunk(count, size, static_cast<std::uint64_t>(std::max<Step>(chunk, 1)));
  }
  return 0;
}

template <class Counter, class Step>
void init_static(std::int32_t schedule, std::int32_t* is_last, Counter* lower, Counter* upper,
                 Step* stride, Step step, Step chunk) noexcept {
  schedule &= ~kModifiers;
  if (schedule >= kUnmerged) {
    schedule -= kUnmerged - 32;
  }
  const implicit_part& part = part_here();
  const bool is_distributed = schedule == kDistribute || schedule == kDistribute + 1;
  const position at = is_distributed ? of_team(part) : of_thread(part);
  const std::uint64_t count = count_of(*lower, *upper, step);
  const Counter last = *upper;
  take_static(at, is_last, lower, upper, stride, step,
              static_chunk(schedule, chunk, count, at.size));
  if (schedule == kStaticBalancedChunked && count != 0) {  // the only form that is clipped
    *upper = step > 0 ? std::min(*upper, last) : std::max(*upper, last);
  }
}

// First among the teams, then among the threads of the team.
template <class Counter, class Step>
void init_distributed(std::int32_t schedule, std::int32_t* is_last, Counter* lower, Counter* upper,
                      Counter* upper_of_team, Step* stride, Step step, Step chunk) noexcept {
  std::int32_t is_last_team = 0;
  Step unused = 0;
  take_static(of_team(part_here()), &is_last_team, lower, upper, &unused, step, 0);
  *upper_of_team = *upper;
  init_static(schedule, is_last, lower, upper, stride, step, chunk);
  if (is_last != nullptr && is_last_team == 0) {
    *is_last = 0;
  }
}

// schedule(simd: runtime): chunks are multiples of `width` iterations. Out of line, and `wish_of`
// inline: the start of any other loop takes 89 to 91 instructions and not 101 to 103 (callgrind).
FINEGRAIN_NOINLINE void follow_in_units(loop_wish& wish, const control_values& values,
                                        std::uint64_t width, std::uint64_t size) noexcept {
  wish.follow(values);
  wish.in_whole_chunks = true;
  if (wish.schedule == schedule_kind::automatic ||
      (wish.schedule == schedule_kind::statically && wish.chunk == 0)) {
    wish.schedule = schedule_kind::statically;
    wish.chunk = balanced_chunk(wish.count, size, width);
  } else {
    wish.chunk = std::max<std::uint64_t>(wish.chunk, 1) * width;
  }
}

FINEGRAIN_ALWAYS_INLINE loop_wish wish_of(std::int32_t schedule, std::uint64_t count,
                                          std::int64_t chunk, const control_values& values,
                                          std::uint64_t size) noexcept {
  loop_wish wish{.count = count, .is_nonmonotonic = (schedule & kNonmonotonic) != 0};
  schedule &= ~kModifiers;
  if (schedule > kUnmerged) {
    schedule -= kUnmerged - 32;
  }
  if (schedule > kOrdered && schedule < kDistribute) {
    wish.is_ordered = true;
    schedule -= 32;
  }
  wish.chunk = static_cast<std::uint64_t>(std::max<std::int64_t>(chunk, 1));
  switch (schedule) {
    case kDynamic:
    case kStaticSteal:
      wish.schedule = schedule_kind::dynamic;
      break;
    case kGuided:
    case kGuidedSimd:
      wish.schedule = schedule_kind::guided;
      wish.in_whole_chunks = schedule == kGuidedSimd;
      break;
    case kRuntime:
      wish.follow(values);
      break;
    case kRuntimeSimd:
      follow_in_units(wish, values, wish.chunk, size);
      break;
    case kStaticChunked:
      break;
    default:
      wish.chunk = 0;
  }
  return wish;
}

template <class Counter, class Step>
void init_dispatch(std::int32_t schedule, Counter lower, Counter upper, Step step,
                   Step chunk) noexcept {
  implicit_part& part = part_here();
  part.loop.leave();  // in case the last one was left early
  part.loop.origin = static_cast<std::uint64_t>(lower);
  part.loop.step = static_cast<std::uint64_t>(std::int64_t{step});
  loop_wish wish =
      wish_of(schedule, count_of(lower, upper, step), chunk, part.current(), part.place->size);
  // Iterations of a nest that wait for earlier ones are to follow each other.
  wish.is_nonmonotonic = wish.is_nonmonotonic && part.nest == nullptr;
  part.loop.enter(wish, part.shared, part.loops, part.number, part.place->size);
}

template <class Counter, class Step>
std::int32_t next_dispatch(std::int32_t* is_last, Counter* lower, Counter* upper,
                           Step* stride) noexcept {
  loop_part& loop = part_here().loop;
  iterations taken;
  if (!loop.next(taken)) {
    loop.leave();
    return 0;
  }
  *lower = static_cast<Counter>(loop.origin + taken.first * loop.step);
  *upper = static_cast<Counter>(loop.origin + (taken.end - 1) * loop.step);
  if (stride != nullptr) {
    *stride = static_cast<Step>(loop.step);
  }
  if (is_last != nullptr) {
    *is_last = taken.end == loop.count() ? 1 : 0;
  }
  return 1;
}

// kmp_dim: the bounds of one loop of a nest, both included.
struct dimension {
  std::int64_t lower;
  std::int64_t upper;
  std::int64_t step;

  [[nodiscard]] std::uint64_t iteration(std::int64_t at) const noexcept {
    const auto from = static_cast<std::uint64_t>(lower);
    const auto to = static_cast<std::uint64_t>(at);
    if (step > 0 ? at < lower : at > lower) {
      return ~std::uint64_t{0};  // before the first
    }
    return step > 0 ? (to - from) / static_cast<std::uint64_t>(step)
                    : (from - to) / (std::uint64_t{0} - static_cast<std::uint64_t>(step));
  }
};

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): types
// Emitted at the beginning of a loop with a static schedule, and of sections; returns after writing
// the bounds of the thread's first chunk.
#define FINEGRAIN_OMP_STATIC(suffix, counter, step_type)                                   \
  FINEGRAIN_OMP_ENTRY void __kmpc_for_static_init_##suffix(                                \
      ident*, std::int32_t, std::int32_t schedule, std::int32_t* is_last, counter* lower,  \
      counter* upper, step_type* stride, step_type step, step_type chunk) {                \
    init_static(schedule, is_last, lower, upper, stride, step, chunk);                     \
  }                                                                                        \
  FINEGRAIN_OMP_ENTRY void __kmpc_dist_for_static_init_##suffix(                           \
      ident*, std::int32_t, std::int32_t schedule, std::int32_t* is_last, counter* lower,  \
      counter* upper, counter* upper_of_team, step_type* stride, step_type step,           \
      step_type chunk) {                                                                   \
    init_distributed(schedule, is_last, lower, upper, upper_of_team, stride, step, chunk); \
  }
FINEGRAIN_OMP_STATIC(4, std::int32_t, std::int32_t)
FINEGRAIN_OMP_STATIC(4u, std::uint32_t, std::int32_t)
FINEGRAIN_OMP_STATIC(8, std::int64_t, std::int64_t)
FINEGRAIN_OMP_STATIC(8u, std::uint64_t, std::int64_t)

// Emitted by Intel's compilers for a distribute construct with a schedule; returns after writing the
// bounds of the team's first chunk.
#define FINEGRAIN_OMP_TEAM_STATIC(suffix, counter, step_type)                      \
  FINEGRAIN_OMP_ENTRY void __kmpc_team_static_init_##suffix(                       \
      ident*, std::int32_t, std::int32_t* is_last, counter* lower, counter* upper, \
      step_type* stride, step_type step, step_type chunk) {                        \
    take_static(of_team(part_here()), is_last, lower, upper, stride, step,         \
                static_cast<std::uint64_t>(std::max<step_type>(chunk, 1)));        \
  }
FINEGRAIN_OMP_TEAM_STATIC(4, std::int32_t, std::int32_t)
FINEGRAIN_OMP_TEAM_STATIC(4u, std::uint32_t, std::int32_t)
FINEGRAIN_OMP_TEAM_STATIC(8, std::int64_t, std::int64_t)
FINEGRAIN_OMP_TEAM_STATIC(8u, std::uint64_t, std::int64_t)

// Emitted at its end.
FINEGRAIN_OMP_ENTRY void __kmpc_for_static_fini(ident* /*where*/, std::int32_t /*gtid*/) {}

// Emitted at the beginning of a loop with any other schedule, the second one first shared among the
// teams; then for each chunk, whose bounds are
// written (returns 0 if there is none left); in an ordered loop after each iteration; at its end
// (from clang 19 on).
#define FINEGRAIN_OMP_DISPATCH(suffix, counter, step_type)                                       \
  FINEGRAIN_OMP_ENTRY void __kmpc_dispatch_init_##suffix(                                        \
      ident*, std::int32_t, std::int32_t schedule, counter lower, counter upper, step_type step, \
      step_type chunk) {                                                                         \
    init_dispatch(schedule, lower, upper, step, chunk);                                          \
  }                                                                                              \
  FINEGRAIN_OMP_ENTRY void __kmpc_dist_dispatch_init_##suffix(                                   \
      ident*, std::int32_t, std::int32_t schedule, std::int32_t* is_last, counter lower,         \
      counter upper, step_type step, step_type chunk) {                                          \
    step_type unused = 0;                                                                        \
    take_static(of_team(part_here()), is_last, &lower, &upper, &unused, step, 0);                \
    init_dispatch(schedule, lower, upper, step, chunk);                                          \
  }                                                                                              \
  FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_dispatch_next_##suffix(                                \
      ident*, std::int32_t, std::int32_t* is_last, counter* lower, counter* upper,               \
      step_type* stride) {                                                                       \
    return next_dispatch(is_last, lower, upper, stride);                                         \
  }                                                                                              \
  FINEGRAIN_OMP_ENTRY void __kmpc_dispatch_fini_##suffix(ident*, std::int32_t) {}
// NOLINTEND(bugprone-macro-parentheses)
FINEGRAIN_OMP_DISPATCH(4, std::int32_t, std::int32_t)
FINEGRAIN_OMP_DISPATCH(4u, std::uint32_t, std::int32_t)
FINEGRAIN_OMP_DISPATCH(8, std::int64_t, std::int64_t)
FINEGRAIN_OMP_DISPATCH(8u, std::uint64_t, std::int64_t)
FINEGRAIN_OMP_ENTRY void __kmpc_dispatch_deinit(ident* /*where*/, std::int32_t /*gtid*/) {
  part_here().loop.leave();
}

// Emitted around an ordered region; the first returns when those of all earlier iterations have
// ended.
FINEGRAIN_OMP_ENTRY void __kmpc_ordered(ident* /*where*/, std::int32_t /*gtid*/) {
  part_here().loop.wait_for_order();
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_ordered(ident* /*where*/, std::int32_t /*gtid*/) {}

// Emitted around a single construct; returns 1 to the thread that runs it.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_single(ident* /*where*/, std::int32_t /*gtid*/) {
  return begin_single(part_here()) ? 1 : 0;
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_single(ident* /*where*/, std::int32_t /*gtid*/) {}

// Emitted around a master and a masked construct; return 1 to the thread that runs it.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_master(ident* /*where*/, std::int32_t /*gtid*/) {
  return thread::here().inner->number == 0 ? 1 : 0;
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_master(ident* /*where*/, std::int32_t /*gtid*/) {}
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_masked(ident* /*where*/, std::int32_t /*gtid*/,
                                               std::int32_t filter) {
  return static_cast<std::int32_t>(thread::here().inner->number) == filter ? 1 : 0;
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_masked(ident* /*where*/, std::int32_t /*gtid*/) {}

// Part of the ABI, around a scope construct.
FINEGRAIN_OMP_ENTRY void __kmpc_scope(ident* /*where*/, std::int32_t /*gtid*/, void* /*unused*/) {}
FINEGRAIN_OMP_ENTRY void __kmpc_end_scope(ident* /*where*/, std::int32_t /*gtid*/,
                                          void* /*unused*/) {}

// Part of the ABI: a barrier from which thread 0 returns 1 while the others wait, until it calls
// the second one; without waiting at the end by the third.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_barrier_master(ident* /*where*/, std::int32_t /*gtid*/) {
  thread& self = thread::here();
  barrier(self);
  if (self.inner->number == 0) {
    return 1;
  }
  barrier(self);
  return 0;
}
FINEGRAIN_OMP_ENTRY void __kmpc_end_barrier_master(ident* /*where*/, std::int32_t /*gtid*/) {
  barrier(thread::here());
}
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_barrier_master_nowait(ident* /*where*/,
                                                              std::int32_t /*gtid*/) {
  thread& self = thread::here();
  barrier(self);
  return self.inner->number == 0 ? 1 : 0;
}

// Emitted at the end of a single construct with copyprivate; returns when all threads have the
// values of the one that ran it.
FINEGRAIN_OMP_ENTRY void __kmpc_copyprivate(ident* /*where*/, std::int32_t /*gtid*/,
                                            std::size_t /*bytes*/, void* data,
                                            void (*copy)(void*, void*), std::int32_t did_it) {
  thread& self = thread::here();
  worksharing* const shared = part_of(self).shared;
  if (shared == nullptr) {
    return;
  }
  if (did_it != 0) {
    shared->copyprivate.store(data, memory_order_release);  // see data_of_single
  }
  barrier(self);
  if (did_it == 0) {
    copy(data, data_of_single(*shared));
  }
  barrier(self);  // the data is the other thread's
}

// Not emitted by clang, but part of the ABI, for a single construct with copyprivate; returns the
// data of the thread that ran it, which the caller copies.
FINEGRAIN_OMP_ENTRY void* __kmpc_copyprivate_light(ident* /*where*/, std::int32_t /*gtid*/,
                                                   void* data) {
  thread& self = thread::here();
  worksharing* const shared = part_of(self).shared;
  if (shared == nullptr) {
    return data;
  }
  if (data != nullptr) {
    shared->copyprivate.store(data, memory_order_release);  // see data_of_single
  }
  barrier(self);
  return data_of_single(*shared);
}

// Emitted at the beginning of a loop nest with an ordered(n) clause, before the loop itself.
FINEGRAIN_OMP_ENTRY void __kmpc_doacross_init(ident* /*where*/, std::int32_t /*gtid*/,
                                              std::int32_t dimensions, const void* loops) {
  implicit_part& part = part_here();
  const auto* const all = static_cast<const dimension*>(loops);
  part.nest = all;
  part.nest_loop.enter({.is_shared = true}, part.shared, part.loops, part.number, part.place->size);
  part.crossing.begin(part.nest_loop, static_cast<unsigned>(dimensions), [all](unsigned i) {
    return count_of(all[i].lower, all[i].upper, all[i].step);
  });
}

// Emitted for ordered depend(source); returns after telling that the iteration has come so far.
FINEGRAIN_OMP_ENTRY void __kmpc_doacross_post(ident* /*where*/, std::int32_t /*gtid*/,
                                              const std::int64_t* at) {
  implicit_part& part = part_here();
  const auto* const all = static_cast<const dimension*>(part.nest);
  part.crossing.post([=](unsigned i) { return all[i].iteration(at[i]); });
}

// Emitted for ordered depend(sink: ...); returns when the iteration at these counters has come so
// far.
FINEGRAIN_OMP_ENTRY void __kmpc_doacross_wait(ident* /*where*/, std::int32_t /*gtid*/,
                                              const std::int64_t* at) {
  implicit_part& part = part_here();
  const auto* const all = static_cast<const dimension*>(part.nest);
  part.crossing.wait([=](unsigned i) { return all[i].iteration(at[i]); });
}

// Emitted at the end of the loop nest.
FINEGRAIN_OMP_ENTRY void __kmpc_doacross_fini(ident* /*where*/, std::int32_t /*gtid*/) {
  implicit_part& part = part_here();
  part.nest = nullptr;
  part.nest_loop.leave();
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
