// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/kronecker.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/graph/uniform.hpp"

namespace fg::bench {
namespace {

constexpr std::size_t kGapBlockEdges = std::size_t{1} << 18;

/// The probability of each quadrant of the adjacency matrix, as a bound on a 32-bit draw. Each is
/// rounded down on its own before they are added, as in GAP.
struct quadrant_bounds {
  static constexpr double kFull = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kTopLeft = static_cast<std::uint32_t>(0.57 * kFull);
  static constexpr std::uint32_t kTopRight = static_cast<std::uint32_t>(0.19 * kFull);
  static constexpr std::uint32_t kBottomLeft = static_cast<std::uint32_t>(0.19 * kFull);
  static constexpr std::uint32_t kTop = kTopLeft + kTopRight;
  static constexpr std::uint32_t kAllButLast = kTop + kBottomLeft;
};

/// One edge: descends `scale` levels of quadrants, with one bit of each end per level.
edge draw_edge(unsigned scale, std::mt19937& generator) {
  edge drawn{.from = 0, .to = 0};
  for (unsigned level = 0; level < scale; ++level) {
    const auto point = static_cast<std::uint32_t>(generator());
    const bool bottom = point >= quadrant_bounds::kTop;
    const bool right = point > (bottom ? quadrant_bounds::kAllButLast : quadrant_bounds::kTopLeft);
    drawn.from = drawn.from * 2 + (bottom ? 1 : 0);
    drawn.to = drawn.to * 2 + (right ? 1 : 0);
  }
  return drawn;
}

/// Permutes the node ids: otherwise low ids would have high degrees.
void permute_ids(edge_list& list, std::uint32_t seed) {
  std::vector<node_id> new_id(list.num_nodes);
  std::iota(new_id.begin(), new_id.end(), node_id{0});
  std::mt19937 generator(seed);
  std::shuffle(new_id.begin(), new_id.end(), generator);
  for (edge& e : list.edges) {
    e = {.from = new_id[e.from], .to = new_id[e.to]};
  }
}

}  // namespace

edge_list make_kronecker(unsigned scale, unsigned edges_per_node, std::uint32_t seed) {
  if (scale > 18 || edges_per_node == 0 || edges_per_node > (kGapBlockEdges >> scale)) {
    throw std::invalid_argument("make_kronecker: no edges, or more than 2^18");
  }
  edge_list list;
  list.num_nodes = node_id{1} << scale;
  list.edges.resize(std::size_t{list.num_nodes} * edges_per_node);
  std::mt19937 generator(seed);
  for (edge& e : list.edges) {
    e = draw_edge(scale, generator);
  }
  permute_ids(list, seed);
  return list;
}

void add_gap_weights(edge_list& list, std::uint32_t seed) {
  constexpr std::uint32_t kHeaviest = 255;
  if (list.edges.size() > kGapBlockEdges) {
    throw std::invalid_argument("add_gap_weights: more than 2^18 edges");
  }
  std::mt19937 generator(seed);
  list.weights.resize(list.edges.size());
  for (edge_weight& weight : list.weights) {
    weight = draw_below(kHeaviest, generator) + 1;
  }
}

}  // namespace fg::bench
