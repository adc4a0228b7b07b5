// Complete trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "programs/frame/thread_census.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace fg::bench {

/// A complete tree: every node above the last level has `width` children. Counts the leaves, which
/// have no work.
struct balanced_walk {
  using node = std::uint32_t;  ///< levels below it
  using result = std::uint64_t;
  static constexpr bool kWaitsAtEveryNode = true;  // the cost of the wait is what is measured

  std::uint32_t width;
  std::uint32_t depth;

  [[nodiscard]] node root() const noexcept { return depth; }
  [[nodiscard]] std::uint32_t children(const node& at) const noexcept {
    return at == 0 ? 0 : width;
  }
  [[nodiscard]] static node child(const node& at, std::uint32_t /*index*/) noexcept {
    return at - 1;
  }
  static void visit(const node& /*at*/, std::uint32_t children, result& leaves) noexcept {
    leaves += children == 0 ? 1 : 0;
  }
};
static_assert(tree_walk<balanced_walk>);

/// The same, with the leaves counted by thread.
struct balanced_census : balanced_walk {
  static void visit(const node& at, std::uint32_t children, result& leaves) {
    if (children == 0) {
      thread_census::count();
    }
    balanced_walk::visit(at, children, leaves);
  }
};
static_assert(tree_walk<balanced_census>);

}  // namespace fg::bench
