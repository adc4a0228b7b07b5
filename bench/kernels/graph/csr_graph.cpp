// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/csr_graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace fg::bench {
namespace {

struct half_edge {
  node_id from;
  node_id to;
  edge_weight weight;
};

void require_valid(const edge_list& list) {
  constexpr std::size_t kLimit = std::size_t{1} << 31;
  if (list.num_nodes == 0 || list.num_nodes >= kLimit || list.edges.size() >= kLimit) {
    throw std::invalid_argument("csr_graph: no nodes, or more nodes or edges than 32 bits hold");
  }
  if (!list.weights.empty() && list.weights.size() != list.edges.size()) {
    throw std::invalid_argument("csr_graph: weights for some edges only");
  }
  for (const edge& e : list.edges) {
    if (e.from >= list.num_nodes || e.to >= list.num_nodes) {
      throw std::invalid_argument("csr_graph: an edge to a node that does not exist");
    }
  }
}

/// Both directions of every edge except loops, sorted, only the lightest for each pair of nodes.
std::vector<half_edge> clean_half_edges(const edge_list& list) {
  std::vector<half_edge> halves;
  halves.reserve(list.edges.size() * 2);
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    const auto [from, to] = list.edges[i];
    if (from == to) {
      continue;
    }
    const edge_weight weight = list.weights.empty() ? 0 : list.weights[i];
    halves.push_back({from, to, weight});
    halves.push_back({to, from, weight});
  }
  std::ranges::sort(halves, [](const half_edge& a, const half_edge& b) {
    return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
  });
  const auto same_nodes = [](const half_edge& a, const half_edge& b) {
    return a.from == b.from && a.to == b.to;
  };
  const auto repeated = std::ranges::unique(halves, same_nodes);
  halves.erase(repeated.begin(), repeated.end());
  return halves;
}

}  // namespace

csr_graph::csr_graph(const edge_list& list) : num_nodes_(list.num_nodes) {
  require_valid(list);
  const std::vector<half_edge> halves = clean_half_edges(list);
  offsets_ = isolated_array<std::uint32_t>(std::size_t{num_nodes_} + 1);
  neighbors_ = isolated_array<node_id>(halves.size());
  if (!list.weights.empty()) {
    weights_ = isolated_array<edge_weight>(halves.size());
  }
  for (std::size_t i = 0; i < halves.size(); ++i) {
    ++offsets_[std::size_t{halves[i].from} + 1];
    neighbors_[i] = halves[i].to;
    if (!list.weights.empty()) {
      weights_[i] = halves[i].weight;
    }
  }
  for (std::size_t node = 0; node < num_nodes_; ++node) {
    offsets_[node + 1] += offsets_[node];
  }
}

edge_weight csr_graph::max_weight() const noexcept {
  const std::span<const edge_weight> all = weights_.span();
  return all.empty() ? 0 : *std::ranges::max_element(all);
}

}  // namespace fg::bench
