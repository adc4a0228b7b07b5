// A store-load barrier whose cost falls on the thread that rarely needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include "finegrain/core/windows_api.hpp"
#endif

/// Orders a store before a later load in two threads at once, as two sequentially consistent fences
/// would (Dekker's pattern), but at no cost to the frequent thread:
///
///     frequent thread               rare thread
///     a.store(1, release)           b.store(1, relaxed)
///     light_fence()                 heavy_fence()
///     if (b.load(relaxed)) ...      if (a.load(acquire)) ...
///
/// At least one of the two threads sees the other's store.
///
/// `heavy_fence` is Linux's membarrier(PRIVATE_EXPEDITED): the kernel makes every running thread of
/// the process execute a full barrier between two of its instructions. Wherever that barrier falls
/// in the frequent thread, either its store is before the barrier, and the rare thread's load after
/// `heavy_fence` sees it, or its load is after the barrier and sees the rare thread's store, which
/// precedes the barrier. `light_fence` keeps the compiler from swapping the two. Costs:
/// `light_fence` none; `heavy_fence` 10 us while another thread of the process runs, otherwise 0.35
/// us (EPYC 9004, KVM, Linux 6.18). On Windows it is FlushProcessWriteBuffers, which does the same.
///
/// If the system has neither (`available()` is false), both sides must call `full_fence()`
/// instead. The user of this header makes this choice once, and documents it.
///
/// Source of the technique: folly's AsymmetricThreadFence; P1202 (Goldblatt, "Asymmetric Fences").
namespace fg::inline FINEGRAIN_ABI::detail::asymmetric_fence {

namespace detail {

#if defined(__linux__) && defined(SYS_membarrier)
// The kernel's numbers, so that the header that defines its macros is not included.
inline constexpr int kRegisterPrivateExpedited = 1 << 4;
inline constexpr int kPrivateExpedited = 1 << 3;
inline bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }
inline bool set_up() noexcept {
  return membarrier(kRegisterPrivateExpedited) && membarrier(kPrivateExpedited);
}
// It cannot fail once registered; that belongs to the address space: a forked child has it too.
inline void barrier_in_all_threads() noexcept { membarrier(kPrivateExpedited); }
#elif defined(_WIN32)
// Not under Wine, of which many versions do nothing in FlushProcessWriteBuffers: 8.0 for one.
inline bool set_up() noexcept {
  return windows::find_function<void()>(L"ntdll.dll", "wine_get_version") == nullptr;
}
inline void barrier_in_all_threads() noexcept { FlushProcessWriteBuffers(); }
#else
inline bool set_up() noexcept { return false; }
inline void barrier_in_all_threads() noexcept {}
#endif

}  // namespace detail

/// True if `light_fence` and `heavy_fence` work as a pair. The first call registers the process
/// with the kernel. The result never changes during the life of the process. Any thread.
inline bool available() noexcept {
  static const bool is_set_up = detail::set_up();
  return is_set_up;
}

/// The frequent thread's side.
// For the compiler only: heavy_fence, with which it pairs, supplies the processor's fence.
inline void light_fence() noexcept { signal_fence(memory_order_seq_cst); }

/// The rare thread's side. Requires: `available()`.
inline void heavy_fence() noexcept { detail::barrier_in_all_threads(); }

/// Both sides, if the pair above is not available.
// Pairs with the other side's full_fence: at least one side sees what the other did before its own.
inline void full_fence() noexcept { thread_fence(memory_order_seq_cst); }

}  // namespace fg::inline FINEGRAIN_ABI::detail::asymmetric_fence
