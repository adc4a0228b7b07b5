// The serial Unbalanced Tree Search: walks a tree and counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/uts/tree.hpp"

namespace fg::bench::uts {

/// The counts of a tree or of a part of one. The sum of the parts' counts is the count of the
/// whole.
struct count {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;  // the greatest, from the tree's root

  count& operator+=(const count& other) noexcept {
    nodes += other.nodes;
    leaves += other.leaves;
    depth = std::max(depth, other.depth);
    return *this;
  }

  bool operator==(const count&) const = default;
};

/// Counts `top` and all nodes below it: O(nodes) time, by recursion, depth first.
///
/// Requires stack for the deepest path: 80 bytes per level, so 1.4 MiB for T3L, the deepest sample
/// (measured with clang 19 -O3 on x86-64; gcc 12 takes less). Any thread; does not allocate or
/// throw.
[[nodiscard]] count search(const tree_spec& tree, const node& top) noexcept;

}  // namespace fg::bench::uts
