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

/// Prefetches the line of `address`, which may be invalid, for reading. Affects only timing.
inline void prefetch_for_read([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

/// The same for writing: other cores' copies of the line become invalid.
inline void prefetch_for_write([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)  // without -mprfchw the builtin asks to read
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(address)));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
