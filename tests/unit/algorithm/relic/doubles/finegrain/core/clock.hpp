// The clock of a simulated program. It precedes the shipped one in the include path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Advances when the simulation says so, and at each read. One thread.
inline std::uint64_t virtual_now = std::uint64_t{1} << 40U;

}  // namespace detail

inline double ticks_per_ns() noexcept { return 4; }
inline std::uint64_t to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(time.count()) * 4;
}
inline double to_ns(std::uint64_t count) noexcept { return static_cast<double>(count) / 4; }

/// A read takes 12 ns: 8 to 9 for the counter, the rest for the code around it that quiet calls
/// skip (EPYC 9004, KVM).
inline std::uint64_t ticks() noexcept {
  return detail::virtual_now += to_ticks(std::chrono::nanoseconds{12});
}

}  // namespace fg::inline FINEGRAIN_ABI
