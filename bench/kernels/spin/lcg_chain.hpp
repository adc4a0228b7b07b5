// A chain of integer steps, each of which depends on the one before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fg::bench {

/// Knuth's MMIX generator: the state after one step is kLcgFactor * state + kLcgTerm, modulo 2^64.
/// Source: D. Knuth, "The Art of Computer Programming", volume 2, 3.3.4, table 1, line 26.
inline constexpr std::uint64_t kLcgFactor = 6364136223846793005U;
inline constexpr std::uint64_t kLcgTerm = 1442695040888963407U;

/// The state `steps` steps after `state`, step by step: O(steps), about the latency of a
/// multiplication and an addition each. In an object file of its own, so calibration and kernel run
/// the same code.
[[nodiscard]] std::uint64_t walk_lcg_chain(std::uint64_t state, std::uint64_t steps) noexcept;

/// The same state, by squaring the step: O(log steps).
/// Source: F. Brown, "Random number generation with arbitrary strides", 1994.
[[nodiscard]] std::uint64_t jump_lcg_chain(std::uint64_t state, std::uint64_t steps) noexcept;

}  // namespace fg::bench
