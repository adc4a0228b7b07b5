// What became of a call.
#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include "finegrain/core/exceptions.hpp"
#include "finegrain/task/branch_result.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value that a call of `F` returned, or the exception that it threw. Not synchronized.
template <class F>
class outcome {
 public:
  /// What `take` returns: the value, void for void.
  using value_type =
      std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, void, branch_result_t<F>>;

  /// Calls `f` and keeps what comes of it.
  void keep_result_of(F& f) noexcept {
    if constexpr (kNeverThrows) {
      kept_.template emplace<kValue>(result_of(f));
    } else {
      FINEGRAIN_TRY { kept_.template emplace<kValue>(result_of(f)); }
      FINEGRAIN_CATCH(...) { kept_.template emplace<kException>(std::current_exception()); }
    }
  }

  /// Returns the value or throws the exception, once. Requires: `keep_result_of` was called.
  value_type take() {
    if (kept_.index() == kException) [[unlikely]] {
      std::rethrow_exception(std::get<kException>(std::move(kept_)));
    }
    if constexpr (!std::is_void_v<value_type>) {
      return std::move(*std::get_if<kValue>(&kept_));
    }
  }

 private:
  // Neither the call, nor the copy of what it refers to, nor the move to here.
  static constexpr bool kNeverThrows =
      std::is_nothrow_invocable_v<F&> &&
      (std::is_void_v<value_type> ||
       std::is_nothrow_constructible_v<branch_result_t<F>, std::invoke_result_t<F&>>) &&
      std::is_nothrow_move_constructible_v<branch_result_t<F>>;
  static constexpr std::size_t kValue = 1;
  static constexpr std::size_t kException = 2;

  std::variant<std::monostate, branch_result_t<F>, std::exception_ptr> kept_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
