// The splittable random generator of the Unbalanced Tree Search benchmark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace fg::bench::uts {

/// A state of the generator: a SHA-1 digest, its first word first.
///
/// Any number of states can be split off one, each by its index alone; so the threads of a search
/// need no common generator, and the tree does not depend on the order of the walk. A plain value:
/// any thread may call the functions below on its own states; they do not allocate or throw, and
/// are O(1). Source: S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng,
/// "UTS: An Unbalanced Tree Search Benchmark", 2006.
struct random_state {
  std::array<std::uint32_t, 5> words;

  bool operator==(const random_state&) const = default;
};

/// The state of a tree's root: SHA-1 of 16 zero bytes and the seed, big-endian.
[[nodiscard]] random_state seeded_state(std::uint32_t seed) noexcept;

/// The state of child `index`: SHA-1 of the parent's 20 bytes and the index, big-endian.
[[nodiscard]] random_state split_state(const random_state& parent, std::uint32_t index) noexcept;

/// The random value of a state, 0 <= u < 1, a multiple of 2^-31: the digest's last 31 bits.
[[nodiscard]] constexpr double to_probability(const random_state& state) noexcept {
  constexpr std::uint32_t kLow31Bits = 0x7FFFFFFF;
  return static_cast<double>(state.words[4] & kLow31Bits) * 0x1p-31;
}

}  // namespace fg::bench::uts
