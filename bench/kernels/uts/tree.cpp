// SPDX-License-Identifier: Apache-2.0
#include "kernels/uts/tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include "kernels/uts/splittable_random.hpp"

namespace fg::bench::uts {

// Computes the logarithms in the benchmark's own steps, so that everything is rounded alike.
geometric_fixed::geometric_fixed(double mean_children, std::uint32_t depth_limit) noexcept
    : log_chance_of_another_(std::log(1.0 - 1.0 / (1.0 + mean_children))),
      depth_limit_(depth_limit) {}

std::uint32_t geometric_fixed::children(const node& parent) const noexcept {
  if (parent.depth >= depth_limit_) {
    return 0;
  }
  const double drawn = std::log(1.0 - to_probability(parent.state)) / log_chance_of_another_;
  return static_cast<std::uint32_t>(std::min(drawn, double{kMostChildren}));
}

std::uint32_t binomial::children(const node& parent) const noexcept {
  if (parent.depth == 0) {
    return root_children;
  }
  return to_probability(parent.state) < inner_chance ? inner_children : 0;
}

node root(const tree_spec& tree) noexcept {
  return {.state = seeded_state(tree.root_seed), .depth = 0};
}

std::uint32_t children(const tree_spec& tree, const node& parent) noexcept {
  if (const auto* const geometric = std::get_if<geometric_fixed>(&tree.shape)) {
    return geometric->children(parent);
  }
  return std::get_if<binomial>(&tree.shape)->children(parent);
}

node child(const tree_spec& tree, const node& parent, std::uint32_t index) noexcept {
  node made{.state = split_state(parent.state, index), .depth = parent.depth + 1};
  // The result is the same each time. The compiler does not see the library's compression function,
  // so it has to call it this often.
  for (std::uint32_t computed = 1; computed < tree.granularity; ++computed) {
    made.state = split_state(parent.state, index);
  }
  return made;
}

}  // namespace fg::bench::uts
