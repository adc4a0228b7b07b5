// The ABI of GNU's OpenMP runtime, as far as tasks need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../dependences.hpp"
#include "../takeover.hpp"
#include "../thread.hpp"

/// As gcc 12 emits it (libgomp.h and libgomp_g.h of its source document it). The functions are
/// called by compiled code, so they keep its names.
namespace fg::omp::gomp {

using body = void (*)(void* data);
using copy_constructor = void (*)(void* into, void* from);

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
[[gnu::noinline]] bool decide() noexcept;  // once, and nothing of it in every call's frame
}  // namespace detail

/// True: calls are passed on as they come. In addition to what holds for all: with cancellation on,
/// GNU's runtime itself decides at its barriers who goes on, and knows of tasks only its own.
inline bool is_not_ours() noexcept { return detail::not_ours.get(detail::decide); }

/// What a depend clause says, until the thread reads the next one. Requires: as compiled code
/// passes it.
std::span<const dependence> items_of(thread& self, void* const* depend);

/// The array of a reduction clause, which the compiled code and the runtime share: word 0 the
/// number of variables, 1 the bytes for each thread, 2 their alignment and then the memory, 4 the
/// next array of the clause or the enclosing construct's, 6 the end of the memory; from 7 on three
/// words a variable, its address and its place in a thread's part being the first two.
using reduction_array = std::uintptr_t*;

/// A word of the ABI that is an address.
inline void* pointer_of(std::uintptr_t word) noexcept {
  return reinterpret_cast<void*>(word);  // NOLINT(performance-no-int-to-ptr): it came so
}

/// Makes the memory for the reductions of a taskgroup and enters them.
void enter_reductions(thread& self, reduction_array data) noexcept;

/// Begins a part of a region that GNU's runtime has made, on the calling thread.
void enter_region(thread& self, frame& part, region& place) noexcept;

}  // namespace fg::omp::gomp
