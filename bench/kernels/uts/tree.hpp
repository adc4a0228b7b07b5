// The implicit trees of the Unbalanced Tree Search benchmark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "kernels/uts/splittable_random.hpp"

namespace fg::bench::uts {

/// One node: all that is needed to compute what is below it.
struct node {
  random_state state;
  std::uint32_t depth;  // 0 for the root

  bool operator==(const node&) const = default;
};
static_assert(sizeof(node) == 24, "a task carries a node; keep it small");

/// Every node above the depth limit has a geometrically distributed number of children, with one
/// mean at all depths and at most `kMostChildren`; every other node is a leaf.
class geometric_fixed {
 public:
  static constexpr std::uint32_t kMostChildren = 100;

  /// Requires `mean_children` > 0.
  geometric_fixed(double mean_children, std::uint32_t depth_limit) noexcept;

  [[nodiscard]] std::uint32_t children(const node& parent) const noexcept;

 private:
  double log_chance_of_another_;
  std::uint32_t depth_limit_;
};

/// The root has many children; every other node has `inner_children` with probability
/// `inner_chance`, else none. Unless the product of the two is below 1 the tree may be infinite.
struct binomial {
  std::uint32_t root_children;
  double inner_chance;
  std::uint32_t inner_children;

  [[nodiscard]] std::uint32_t children(const node& parent) const noexcept;
};

/// The parameters of a tree, which is computed while it is walked. While no thread changes it, any
/// number of threads may walk it concurrently. The functions below do not allocate or throw.
struct tree_spec {
  std::variant<geometric_fixed, binomial> shape;
  std::uint32_t root_seed;
  /// How often each child is computed, the benchmark's compute granularity of 1 to 10: it
  /// multiplies the work and does not change the tree. At least 1.
  std::uint32_t granularity = 1;
};

/// The node at depth 0; O(1).
[[nodiscard]] node root(const tree_spec& tree) noexcept;

/// The number of children of `parent`; O(1).
[[nodiscard]] std::uint32_t children(const tree_spec& tree, const node& parent) noexcept;

/// The child `index` of `parent`, at the cost of one SHA-1 for each unit of granularity. Requires
/// `index` < `children(tree, parent)`.
/// Not inlined, nor is `children`, so that every runtime runs the same machine code: that costs
/// half a nanosecond of about 50 per node (EPYC 9004, clang 19).
[[nodiscard]] node child(const tree_spec& tree, const node& parent, std::uint32_t index) noexcept;

}  // namespace fg::bench::uts
