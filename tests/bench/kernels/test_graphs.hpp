// Graphs with known answers, and many small random ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/graph/kronecker.hpp"

namespace fg::bench::test {

/// An edge that can be written {a, b} within a list.
using node_pair = std::pair<node_id, node_id>;

inline csr_graph make_graph(node_id num_nodes, const std::vector<node_pair>& pairs,
                            std::vector<edge_weight> weights = {}) {
  edge_list list{.num_nodes = num_nodes, .edges = {}, .weights = std::move(weights)};
  list.edges.reserve(pairs.size());
  for (const auto& [from, to] : pairs) {
    list.edges.push_back({.from = from, .to = to});
  }
  return csr_graph(list);
}

/// 0 - 1 - 2 - ... - (n - 1)
inline csr_graph make_path(node_id num_nodes) {
  std::vector<node_pair> edges;
  for (node_id node = 1; node < num_nodes; ++node) {
    edges.emplace_back(node - 1, node);
  }
  return make_graph(num_nodes, edges);
}

/// Node 0 joined to all others.
inline csr_graph make_star(node_id num_nodes) {
  std::vector<node_pair> edges;
  for (node_id node = 1; node < num_nodes; ++node) {
    edges.emplace_back(0, node);
  }
  return make_graph(num_nodes, edges);
}

/// Every node joined to every other.
inline csr_graph make_complete(node_id num_nodes) {
  std::vector<node_pair> edges;
  for (node_id a = 0; a < num_nodes; ++a) {
    for (node_id b = a + 1; b < num_nodes; ++b) {
      edges.emplace_back(a, b);
    }
  }
  return make_graph(num_nodes, edges);
}

/// The triangle 0 1 2, the edge 3 - 4 and the lone node 5.
inline csr_graph make_three_parts() {
  return make_graph(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}}, {7, 1, 2, 9});
}

/// Sparse to dense Kronecker graphs of 8 to 128 nodes with weights; some are disconnected.
template <typename Visit>
void for_random_graphs(Visit visit) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    edge_list list = make_kronecker(3 + seed % 5, 1 + seed % 7, seed);
    add_gap_weights(list, seed);
    visit(list);
  }
}

}  // namespace fg::bench::test
