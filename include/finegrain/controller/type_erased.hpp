// Whether the type of a callable says where it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A callable whose type does not say where it was written, so that one call site would stand for
/// all of its callers: function pointers, and wrappers named by a signature, as std::function.
template <class F>
inline constexpr bool is_type_erased = std::is_pointer_v<F>;
template <template <class...> class Wrapper, class Signature>
  requires std::is_function_v<Signature>
inline constexpr bool is_type_erased<Wrapper<Signature>> = true;

}  // namespace fg::inline FINEGRAIN_ABI::detail
