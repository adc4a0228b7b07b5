// A uniform draw that gives the same numbers with every standard library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace fg::bench {

/// A number from 0 to `bound` - 1, all equally likely, from the low 32 bits of `generator`'s draws.
///
/// Uses rejection: draws beyond the largest multiple of `bound` are discarded.
/// std::uniform_int_distribution differs between standard libraries; these numbers are those of the
/// GAP Benchmark Suite for 32-bit generators and for every power of two. Requires: `bound` > 0, and
/// uniform low 32 bits.
template <typename Generator>
[[nodiscard]] std::uint32_t draw_below(std::uint32_t bound, Generator& generator) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t surplus = (kMax % bound + 1) % bound;
  auto drawn = static_cast<std::uint32_t>(generator());
  while (drawn > kMax - surplus) {
    drawn = static_cast<std::uint32_t>(generator());
  }
  return drawn % bound;
}

}  // namespace fg::bench
