// What a branch of a fork_join returns.
#pragma once

#include <type_traits>
#include <variant>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value that a call of the branch returns; std::monostate for void, so that every branch has
/// one.
template <class F>
using branch_result_t = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate,
                                           std::remove_cvref_t<std::invoke_result_t<F&>>>;

/// Runs the branch. Throws what it throws.
template <class F>
branch_result_t<F> result_of(F& branch) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    branch();
    return {};
  } else {
    return branch();
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
