// The branches of a fork_join: what they return, and how both run on one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "finegrain/core/errors.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value that the branch returns; std::monostate for void, so that every branch has one.
template <class F>
using branch_result_t = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate,
                                           std::remove_cvref_t<std::invoke_result_t<F&>>>;

template <class F, class G>
using branch_values = std::pair<branch_result_t<F>, branch_result_t<G>>;

/// True if a copy of an `F` runs in its place: of a lambda (an object that is not made without
/// arguments), small, passed as an rvalue, whose result cannot refer to it. As what it writes cannot
/// change what it has captured, a loop over bytes is vectorized, in a tenth of the time.
template <class F>
inline constexpr bool kRunsAsCopy = requires {
  requires kFitsInClosure<F, 0> && std::is_copy_constructible_v<F>;
  requires !std::is_aggregate_v<F> && !std::is_default_constructible_v<F>;
  requires std::is_void_v<std::invoke_result_t<F&>> || std::is_arithmetic_v<branch_result_t<F>>;
};

/// Runs the branch, once. Throws what it throws.
template <class F>
branch_result_t<F> result_of(F&& branch) {
  if constexpr (kRunsAsCopy<F>) {
    // Whatever constructors it has. Not std::bit_cast, which libc++ 13 lacks.
    F copy = __builtin_bit_cast(F, branch);  // NOLINT(readability-redundant-casting): a copy
    return detail::result_of(copy);
  } else if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    branch();
    return {};
  } else {
    return branch();
  }
}

/// Runs the branch and drops its result or exception: the exception of the other one wins.
template <class G>
void run_after_failure(G&& branch) noexcept {
  FINEGRAIN_TRY { static_cast<void>(detail::result_of(std::forward<G>(branch))); }
  // NOLINTNEXTLINE(bugprone-empty-catch): the first exception is passed on
  FINEGRAIN_CATCH(...) {}
}

/// Runs both branches on the calling thread, `g` even if `f` throws, as on two threads. If both
/// throw, the exception of `f` is passed on.
template <class F, class G>
branch_values<F, G> run_both_here(F&& f, G&& g) {
  const auto f_first = [&] {
    FINEGRAIN_TRY { return detail::result_of(std::forward<F>(f)); }
    FINEGRAIN_CATCH(...) {
      detail::run_after_failure(std::forward<G>(g));
      FINEGRAIN_RETHROW;
    }
  };
  auto f_value = f_first();
  return {std::move(f_value), detail::result_of(std::forward<G>(g))};
}

/// What a fork_join of F and G returns: `values`, or nothing if both return void.
template <class F, class G>
auto without_monostates(branch_values<F, G>&& values) {
  if constexpr (!std::is_void_v<std::invoke_result_t<F&>> ||
                !std::is_void_v<std::invoke_result_t<G&>>) {
    return std::move(values);
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
