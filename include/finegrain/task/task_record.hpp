// A closure, and then what it returned, in a fixed number of bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Bytes of a closure that a task record holds: what remains of a 64-byte line after one 8-byte
/// synchronization word and the 8-byte routine pointer.
inline constexpr std::size_t kTaskClosureBytes = 48;
/// The strictest alignment that a stored closure may have, in bytes. More would leave a hole
/// between the routine pointer and the closure, and the record would no longer fit beside its word.
inline constexpr std::size_t kTaskClosureAlignment = 8;

namespace detail {

/// The value that a call of `F` returns, without reference; void for void.
template <class F>
using call_result_t = std::remove_cvref_t<std::invoke_result_t<F&>>;

/// True if a record has room for a `T`.
template <class T>
inline constexpr bool kFitsInRecord =
    sizeof(T) <= kTaskClosureBytes && alignof(T) <= kTaskClosureAlignment;
template <>
inline constexpr bool kFitsInRecord<void> = true;

/// Storage for one callable, run once, and afterwards, if it was stored to be kept, for its result.
/// Once the call has returned nobody needs the closure, so its bytes hold the result: on the way
/// back it needs no cache line of its own. Never allocates.
///
/// Not synchronized: the owner of the record must order the thread that stores and takes, and the
/// one that calls `run` (see relic/handoff_ring.hpp).
class task_record {
 public:
  task_record() = default;
  task_record(const task_record&) = delete;
  task_record& operator=(const task_record&) = delete;

  /// Stores a copy of `closure`, moved if possible, whose result `run` drops. If that copy throws,
  /// the record is unchanged. Requires: it holds neither a closure not run nor a result not taken.
  template <class F>
  void emplace(F&& closure) noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    store(std::forward<F>(closure));
    routine_ = &run_and_drop<std::decay_t<F>>;
  }

  /// The same, but the record keeps what the call returns, for `take` or `drop`. What it throws, the
  /// record keeps as well, or else `run` passes on.
  template <bool KeepsException, class F>
  void emplace_keeping(F&& closure) noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    static_assert(kFitsInRecord<call_result_t<std::decay_t<F>>>);
    store(std::forward<F>(closure));
    routine_ = &run_and_keep<std::decay_t<F>, KeepsException>;
  }

  /// Calls the stored closure, then destroys it, even if the call throws. Passes the exception on
  /// unless the record keeps it. Requires: a closure was stored since the last `run`.
  void run() { routine_(*this); }

  /// True if the kept call has thrown, or was given up. Requires: it has run.
  [[nodiscard]] bool has_failed() const noexcept { return routine_ == nullptr; }

  /// Returns what the kept call returned, or throws what it threw; then the record is empty.
  /// Requires: it has run and returns a `T`; if it has failed, its exception was kept.
  template <class T>
  T take() {
    if (has_failed()) [[unlikely]] {
      rethrow();
    }
    if constexpr (!std::is_void_v<T>) {
      const destroy_at_exit<T> guard{held<T>()};
      return std::move(*guard.what);
    }
  }

  /// Destroys what is left of the kept call. Requires: it has run and returns a `T`.
  template <class T>
  void drop() noexcept {
    if (has_failed()) [[unlikely]] {
      std::destroy_at(held<std::exception_ptr>());
    } else if constexpr (!std::is_void_v<T>) {
      std::destroy_at(held<T>());
    }
  }

  /// Makes a kept call that never returns one that threw `reason`. Its closure is not destroyed.
  void give_up(std::exception_ptr reason) noexcept {
    ::new (static_cast<void*>(bytes_)) std::exception_ptr(std::move(reason));
    routine_ = nullptr;
  }

 private:
  template <class T>
  struct destroy_at_exit {
    T* what;
    ~destroy_at_exit() { std::destroy_at(what); }
  };

  template <class F>
  void store(F&& closure) noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    using stored = std::decay_t<F>;
    static_assert(std::is_invocable_v<stored&>, "finegrain: a task is called without arguments");
    static_assert(sizeof(stored) <= kTaskClosureBytes,
                  "finegrain: this closure is larger than the 48 bytes (kTaskClosureBytes) that a "
                  "task slot stores; capture a pointer or a reference to its data instead");
    static_assert(alignof(stored) <= kTaskClosureAlignment,
                  "finegrain: this closure asks for more than the 8-byte alignment "
                  "(kTaskClosureAlignment) of a task slot; capture a pointer or a reference");
    ::new (static_cast<void*>(bytes_)) stored(std::forward<F>(closure));
  }

  template <class T>
  void keep(T&& value) {
    ::new (static_cast<void*>(bytes_)) T(std::forward<T>(value));
  }

  template <class T>
  T* held() noexcept {
    return std::launder(reinterpret_cast<T*>(bytes_));
  }

  [[noreturn]] FINEGRAIN_NOINLINE void rethrow() {
    const destroy_at_exit<std::exception_ptr> guard{held<std::exception_ptr>()};
    std::rethrow_exception(std::move(*guard.what));
  }

  // Runs the closure on the stack, where the compiler knows that nothing else writes to it, if moving
  // it there cannot throw. A Result of its own, even of a call that returns a reference into it.
  template <class Result, class F>
  Result call_and_destroy() {
    if constexpr (std::is_nothrow_move_constructible_v<F>) {
      F callee(std::move(*held<F>()));
      std::destroy_at(held<F>());
      return static_cast<Result>(callee());
    }
    const destroy_at_exit<F> guard{held<F>()};
    return static_cast<Result>((*guard.what)());
  }

  template <class F>
  static void run_and_drop(task_record& self) {
    self.call_and_destroy<void, F>();
  }

  template <class F, bool KeepsException>
  static void run_and_keep(task_record& self) noexcept(KeepsException) {
    using result = call_result_t<F>;
    FINEGRAIN_TRY {
      if constexpr (std::is_void_v<result>) {
        self.call_and_destroy<void, F>();
      } else {
        self.keep(self.call_and_destroy<result, F>());
      }
    }
    FINEGRAIN_CATCH(...) {
      self.give_up(KeepsException ? std::current_exception() : nullptr);
      if constexpr (!KeepsException) {
        FINEGRAIN_RETHROW;
      }
    }
  }

  void (*routine_)(task_record&) = nullptr;  // null: the bytes hold an exception
  alignas(kTaskClosureAlignment) std::byte bytes_[kTaskClosureBytes];
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
