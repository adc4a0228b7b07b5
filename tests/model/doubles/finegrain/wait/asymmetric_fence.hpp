// Asymmetric fences of the model checker: replaces the shipped header of this name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::asymmetric_fence {

namespace detail {

inline void fence(model::order order, std::source_location where) noexcept {
  if (model::explorer::current() != nullptr && model::explorer::current()->is_inside()) {
    model::explorer::current()->fence(order, where);
  }
}

}  // namespace detail

/// Set by the scenario: with and without membarrier.
inline bool is_available = true;

inline bool available() noexcept { return is_available; }

using at = std::source_location;

inline void light_fence(at where = at::current()) noexcept {
  detail::fence(model::order::light, where);
}
inline void heavy_fence(at where = at::current()) noexcept {
  detail::fence(model::order::heavy, where);
}
inline void full_fence(at where = at::current()) noexcept {
  detail::fence(model::order::seq_cst, where);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::asymmetric_fence
