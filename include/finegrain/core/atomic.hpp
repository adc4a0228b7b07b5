// The only use of std::atomic: a model checker, a tracing build and some systems have their own type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "finegrain/core/config.hpp"

#if defined(_WIN32)
#include "finegrain/core/windows_atomic.hpp"
#elif defined(__EMSCRIPTEN__)
#include "finegrain/core/wasm_atomic.hpp"
#endif

namespace fg::inline FINEGRAIN_ABI {

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
/// The type of all of finegrain's shared words.
template <class T>
using atomic = std::atomic<T>;
#endif

// Names only: each use says what it pairs with, or why relaxed is enough.
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

/// A fence between threads.
inline void thread_fence(memory_order order) noexcept { std::atomic_thread_fence(order); }

/// A fence for the compiler only.
inline void signal_fence(memory_order order) noexcept { std::atomic_signal_fence(order); }

}  // namespace fg::inline FINEGRAIN_ABI
