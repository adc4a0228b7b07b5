// Durations as ticks of the library's clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::test {

inline std::uint64_t us(std::int64_t count) { return to_ticks(std::chrono::microseconds{count}); }
inline std::uint64_t ns(std::int64_t count) { return to_ticks(std::chrono::nanoseconds{count}); }

}  // namespace fg::test
