// SPDX-License-Identifier: Apache-2.0
#include "kernels/uts/sample_trees.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/uts/tree.hpp"

namespace fg::bench::uts {

std::span<const sample_tree> sample_trees() {
  static const std::array<sample_tree, 3> trees{{
      {.name = "T1",
       .tree = {.shape = geometric_fixed(4.0, 10), .root_seed = 19},
       .published = {.nodes = 4'130'071, .leaves = 3'305'118, .depth = 10}},
      {.name = "T3",
       .tree = {.shape = binomial{2000, 0.124875, 8}, .root_seed = 42},
       .published = {.nodes = 4'112'897, .leaves = 3'599'034, .depth = 1'572}},
      {.name = "T3L",
       .tree = {.shape = binomial{2000, 0.200014, 5}, .root_seed = 7},
       .published = {.nodes = 111'345'631, .leaves = 89'076'904, .depth = 17'844}},
  }};
  return trees;
}

const sample_tree& find_sample_tree(std::string_view name) {
  const auto trees = sample_trees();
  const auto found = std::ranges::find(trees, name, &sample_tree::name);
  if (found == trees.end()) {
    throw std::invalid_argument("no tree is called '" + std::string(name) + "': T1, T3 or T3L");
  }
  return *found;
}

}  // namespace fg::bench::uts
