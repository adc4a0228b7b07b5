// The only door to atomics: a model checker or a tracing build puts its own type behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// std::atomic, named here once. All of finegrain's shared words are of this type.
template <class T>
using atomic = std::atomic<T>;

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
