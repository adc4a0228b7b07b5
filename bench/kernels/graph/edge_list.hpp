// A list of edges as a generator produces it, not yet cleaned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace fg::bench {

using node_id = std::uint32_t;
using edge_weight = std::uint32_t;

struct edge {
  node_id from;
  node_id to;
};

/// Undirected edges between the nodes 0 .. num_nodes - 1; loops and repeated edges are allowed.
struct edge_list {
  node_id num_nodes = 0;
  std::vector<edge> edges;
  /// Empty, or the weight of each edge.
  std::vector<edge_weight> weights;
};

}  // namespace fg::bench
