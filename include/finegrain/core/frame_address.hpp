// Where the calling function is on its stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// An address in the caller's stack frame. AddressSanitizer may put local variables elsewhere.
FINEGRAIN_ALWAYS_INLINE std::uintptr_t frame_address() noexcept {
#if defined(_MSC_VER)
  return reinterpret_cast<std::uintptr_t>(_AddressOfReturnAddress());
#else
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
