// The ABI of GNU's OpenMP runtime, as far as tasks need it: flags and arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../dependences.hpp"
#include "../takeover.hpp"
#include "../thread.hpp"
#include "finegrain/core/atomic.hpp"

/// The ABI as gcc 12 emits it, documented by libgomp.h and libgomp_g.h in its source. Compiled code
/// calls the functions, so they have the ABI's names.
namespace fg::omp::gomp {

using body = void (*)(void* data);
using copy_constructor = void (*)(void* into, void* from);

/// A bool that compiled code passes. gcc sets the register's lowest byte and may leave anything in
/// the others; clang, compiling the callee, relies on their being zero.
struct boolean {
  unsigned word;
  constexpr operator bool() const noexcept { return (word & 0xffU) != 0; }  // NOLINT(*-explicit-*)
};

/// Flags of GOMP_task and GOMP_taskloop.
enum : unsigned {
  kFinalTask = 2,
  kDepend = 8,
  kPriority = 16,
  kUp = 256,
  kGrainsize = 512,
  kIf = 1024,
  kNogroup = 2048,
  kReduction = 4096,
  kDetach = 8192,
  kStrict = 16384
};

namespace detail {
inline constinit decided_once not_ours;
[[gnu::noinline]] bool decide() noexcept;  // called once; adds nothing to each call's frame
}  // namespace detail

// Entry points that are passed on before their definition.
// NOLINTBEGIN(readability-identifier-naming): the ABI's names
extern "C" {
void GOMP_barrier();
void GOMP_task(body routine, void* data, copy_constructor copy, long bytes, long alignment,
               boolean if_clause, unsigned flags, void** depend, int priority, void* detach);
void GOMP_taskwait();
}
// NOLINTEND(readability-identifier-naming)

/// True if calls are passed on unchanged: if `is_passive`, and with cancellation on over GNU's
/// runtime, which then decides at its barriers which threads continue, and knows only its own tasks.
inline bool is_not_ours() noexcept { return detail::not_ours.get(detail::decide); }

/// Returns the items of a depend clause as compiled code passes it. Valid until the thread reads
/// the next one.
std::span<const dependence> items_of(thread& self, void* const* depend);

/// The array of a reduction clause, which compiled code and the runtime share. Word 0: the number
/// of variables; 1: the bytes per thread; 2: their alignment, later the memory; 4: the next array,
/// of the clause or of the enclosing construct; 6: the end of the memory; from 7 on three words per
/// variable, the first two its address and its offset in a thread's part.
using reduction_array = std::uintptr_t*;

/// The address that a word of the ABI holds.
inline void* pointer_of(std::uintptr_t word) noexcept {
  return reinterpret_cast<void*>(word);  // NOLINT(performance-no-int-to-ptr): it came so
}

/// Allocates the memory for the reductions of the innermost taskgroup and registers them there.
void enter_reductions(thread& self, reduction_array data) noexcept;

/// Allocates memory for the reductions of a construct on `threads` threads. `around`: the arrays of
/// the constructs around it.
void allocate_reductions(reduction_array data, const std::uintptr_t* around,
                         std::size_t threads) noexcept;
/// Registers the reductions of a worksharing construct in the innermost taskgroup. All threads use
/// the memory of the first one, whose array `first` holds; null: the thread is alone.
void enter_shared_reductions(thread& self, reduction_array data, atomic<void*>* first) noexcept;
/// Frees the memory of a construct's reductions.
void free_reductions(reduction_array data) noexcept;

}  // namespace fg::omp::gomp
