// Whether the type of a callable says where it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A callable whose type does not say where it was written: function pointers and std::functions
/// would mix up all of their callers at one call site.
template <class F>
inline constexpr bool is_type_erased = std::is_pointer_v<F>;
template <class R, class... A>
inline constexpr bool is_type_erased<std::function<R(A...)>> = true;

}  // namespace fg::inline FINEGRAIN_ABI::detail
