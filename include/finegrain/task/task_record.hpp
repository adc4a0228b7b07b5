// A closure in a fixed number of bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Bytes of a closure that a task record holds: what remains of a 64-byte line after one 8-byte
/// synchronization word and the 8-byte routine pointer.
inline constexpr std::size_t kTaskClosureBytes = 48;
/// The strictest alignment that a stored closure may have, in bytes. More would leave a hole
/// between the routine pointer and the closure, and the record would no longer fit beside its word.
inline constexpr std::size_t kTaskClosureAlignment = 8;

namespace detail {

/// Storage for one callable, run once. Never allocates.
///
/// Not synchronized: the owner of the record must order the thread that calls `emplace` and the one
/// that calls `run` (see relic/handoff_ring.hpp).
class task_record {
 public:
  task_record() = default;
  task_record(const task_record&) = delete;
  task_record& operator=(const task_record&) = delete;

  /// Stores a copy of `closure`, moved if possible. If that copy throws, the record is unchanged.
  /// Requires: no stored closure that was not run.
  template <class F>
  void emplace(F&& closure) noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    using stored = std::decay_t<F>;
    static_assert(std::is_invocable_v<stored&>, "finegrain: a task is called without arguments");
    static_assert(sizeof(stored) <= kTaskClosureBytes,
                  "finegrain: this closure is larger than the 48 bytes (kTaskClosureBytes) that a "
                  "task slot stores; capture a pointer or a reference to its data instead");
    static_assert(alignof(stored) <= kTaskClosureAlignment,
                  "finegrain: this closure asks for more than the 8-byte alignment "
                  "(kTaskClosureAlignment) of a task slot; capture a pointer or a reference");
    ::new (static_cast<void*>(closure_)) stored(std::forward<F>(closure));
    routine_ = &run_stored<stored>;
  }

  /// Calls the stored closure, then destroys it, even if the call throws; passes the exception on.
  /// Requires: an `emplace` since the last `run`.
  void run() { routine_(closure_); }

 private:
  template <class F>
  static void run_stored(void* closure) {
    struct destroy_at_exit {
      F* stored;
      ~destroy_at_exit() { std::destroy_at(stored); }
    };
    F* const stored = std::launder(static_cast<F*>(closure));
    [[maybe_unused]] const destroy_at_exit guard{stored};
    static_cast<void>((*stored)());
  }

  void (*routine_)(void*) = nullptr;
  alignas(kTaskClosureAlignment) std::byte closure_[kTaskClosureBytes];
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
