// Work for a given time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::test {

/// Keeps the calling thread busy for this time.
inline void busy_for(std::chrono::microseconds time) {
  const std::uint64_t until = ticks() + to_ticks(time);
  while (ticks() < until) {
  }
}

}  // namespace fg::test
