// Cache lines: how long one is, and how to ask for one ahead of its use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Bytes that the hardware moves between cores as one.
///
/// A constant of the ABI, not of the compiler's -mtune, which is why it is not
/// std::hardware_destructive_interference_size: objects built with different flags must agree.
#if defined(__APPLE__) && defined(__aarch64__)
inline constexpr std::size_t kCacheLineBytes = 128;
#else
inline constexpr std::size_t kCacheLineBytes = 64;
#endif

namespace detail {

/// Asks for the line of `address` to be brought here, to be written to. Any address, also an
/// invalid one; no effect but on time. Any thread.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
