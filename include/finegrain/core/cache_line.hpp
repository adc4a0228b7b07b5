// Cache lines: their size, and prefetch hints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The unit in which the hardware moves data between cores, in bytes.
///
/// It is part of the ABI and does not depend on the compiler's -mtune, because objects built with
/// different flags must agree on it. Hence it is not std::hardware_destructive_interference_size.
#if defined(__APPLE__) && defined(__aarch64__)
inline constexpr std::size_t kCacheLineBytes = 128;
#else
inline constexpr std::size_t kCacheLineBytes = 64;
#endif

namespace detail {

/// Prefetches the cache line of `address` for reading. `address` may be invalid; the call affects
/// nothing but timing. Any thread.
inline void prefetch_for_read(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  static_cast<void>(address);
#endif
}

/// The same for writing.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
