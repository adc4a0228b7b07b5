// SPDX-License-Identifier: Apache-2.0
#include "kernels/uts/search.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/uts/tree.hpp"

namespace fg::bench::uts {
namespace {

/// Adds to `total` instead of returning a count, to keep the frame small: there is one per level.
void visit(const tree_spec& tree, const node& visited, count& total) noexcept {
  const std::uint32_t num_children = children(tree, visited);
  ++total.nodes;
  total.leaves += num_children == 0 ? 1 : 0;
  total.depth = std::max(total.depth, visited.depth);
  for (std::uint32_t index = 0; index < num_children; ++index) {
    visit(tree, child(tree, visited, index), total);
  }
}

}  // namespace

count search(const tree_spec& tree, const node& top) noexcept {
  count total;
  visit(tree, top, total);
  return total;
}

}  // namespace fg::bench::uts
