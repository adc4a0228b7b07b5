// The result or the exception of a call, until it is taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "finegrain/core/errors.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value that a call of `F` returned, or the exception that it threw. Not synchronized: other
/// code orders the thread that keeps it and the thread that takes it. A call that returns void and
/// does not throw leaves it untouched, so that its cache line stays with the thread that waits.
template <class F>
class outcome {
 public:
  /// What `take` returns: the value, void for void.
  using value_type =
      std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, void, branch_result_t<F>>;

  /// Calls `f`, an F or a const one, and keeps its result or exception. Once.
  template <class Callable>
  void keep_result_of(Callable&& f) noexcept {
    if constexpr (kNeverThrows) {
      keep_value_of(std::forward<Callable>(f));
    } else {
      FINEGRAIN_TRY { keep_value_of(std::forward<Callable>(f)); }
      FINEGRAIN_CATCH(...) { kept_.template emplace<kException>(std::current_exception()); }
    }
  }

  /// Returns the value or throws the exception, once. Requires: `keep_result_of` has returned, and
  /// what it wrote is visible here.
  value_type take() {
    if (kept_.index() == kException) [[unlikely]] {
      std::rethrow_exception(std::get<kException>(std::move(kept_)));
    }
    if constexpr (!kIsVoid) {
      return std::move(*std::get_if<kValue>(&kept_));
    }
  }

 private:
  static constexpr bool kIsVoid = std::is_void_v<value_type>;
  // Neither the call, nor the copy of what it refers to, nor the move to here throws.
  static constexpr bool kNeverThrows =
      std::is_nothrow_invocable_v<F&> &&
      (kIsVoid || std::is_nothrow_constructible_v<branch_result_t<F>, std::invoke_result_t<F&>>) &&
      std::is_nothrow_move_constructible_v<branch_result_t<F>>;
  static constexpr std::size_t kException = 1;
  static constexpr std::size_t kValue = 2;

  template <class Callable>
  void keep_value_of(Callable&& f) noexcept(kNeverThrows) {
    if constexpr (kIsVoid) {
      static_cast<void>(detail::result_of(std::forward<Callable>(f)));
    } else {
      kept_.template emplace<kValue>(detail::result_of(std::forward<Callable>(f)));
    }
  }

  std::conditional_t<kIsVoid, std::variant<std::monostate, std::exception_ptr>,
                     std::variant<std::monostate, std::exception_ptr, branch_result_t<F>>>
      kept_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
