// The calling virtual thread's clock, in cycles: replaces the shipped core/clock.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/config.hpp"
#include "sim/simulator/program.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline std::uint64_t ticks() noexcept { return sim::read_clock(); }
inline double ticks_per_ns() noexcept { return sim::cycles_per_ns(); }
inline std::uint64_t to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(time.count()) * ticks_per_ns());
}

namespace detail {

inline std::uint64_t budget_ticks(std::chrono::microseconds time) noexcept {
  return to_ticks(time);
}

}  // namespace detail

inline double to_ns(std::uint64_t count) noexcept {
  return static_cast<double>(count) / ticks_per_ns();
}

}  // namespace fg::inline FINEGRAIN_ABI
