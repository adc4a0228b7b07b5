// The only door to atomics: a model checker or a tracing build puts its own type behind it.
#pragma once

#include <atomic>

namespace fg {

/// std::atomic, named here once. All of finegrain's shared words are of this type.
template <class T>
using atomic = std::atomic<T>;

// Names only: each use says what it pairs with, or why relaxed is enough.
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

}  // namespace fg
