// The clock of simulated ranks: ticks are nanoseconds of simulated time. In place of the header of this
// name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline std::uint64_t ticks() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
inline double ticks_per_ns() noexcept { return 1; }
inline std::uint64_t to_ticks(std::chrono::nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(time.count());
}
inline double to_ns(std::uint64_t count) noexcept { return static_cast<double>(count); }

namespace detail {

inline std::uint64_t budget_ticks(std::chrono::microseconds time) noexcept {
  using std::chrono::microseconds;
  constexpr microseconds kMost{std::int64_t{1} << 50U};
  return time < microseconds{0} ? 0 : to_ticks(time < kMost ? time : kMost);
}

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
