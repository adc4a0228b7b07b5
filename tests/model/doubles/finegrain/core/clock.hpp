// A clock for the model checker, where time does not pass: replaces the shipped core/clock.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline std::uint64_t ticks() noexcept { return 1; }
inline double ticks_per_ns() noexcept { return 1; }
inline std::uint64_t to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(time.count());
}
namespace detail {

inline std::uint64_t budget_ticks(std::chrono::microseconds time) noexcept {
  return to_ticks(time);
}

}  // namespace detail

inline double to_ns(std::uint64_t count) noexcept { return static_cast<double>(count); }

}  // namespace fg::inline FINEGRAIN_ABI
