// How far apart two threads' data must lie.
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

}  // namespace fg::inline FINEGRAIN_ABI
