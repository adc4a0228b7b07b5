// SPDX-License-Identifier: Apache-2.0
#include "kernels/bfs/bfs_check.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace fg::bench {
namespace {

constexpr int kUnreached = -1;

std::vector<int> depths_from(const csr_graph& graph, node_id source) {
  std::vector<int> depths(graph.num_nodes(), kUnreached);
  std::deque<node_id> waiting{source};
  depths[source] = 0;
  while (!waiting.empty()) {
    const node_id node = waiting.front();
    waiting.pop_front();
    for (const node_id neighbor : graph.neighbors(node)) {
      if (depths[neighbor] == kUnreached) {
        depths[neighbor] = depths[node] + 1;
        waiting.push_back(neighbor);
      }
    }
  }
  return depths;
}

bool is_right_parent(const csr_graph& graph, const std::vector<int>& depths, node_id node,
                     std::int32_t parent) {
  if (depths[node] == kUnreached) {
    return parent == -1;
  }
  if (parent < 0 || static_cast<node_id>(parent) >= graph.num_nodes()) {
    return false;
  }
  const auto other = static_cast<node_id>(parent);
  if (depths[node] == 0) {
    return other == node;
  }
  const auto neighbors = graph.neighbors(node);
  return depths[other] == depths[node] - 1 &&
         std::ranges::find(neighbors, other) != neighbors.end();
}

}  // namespace

std::optional<std::string> check_bfs(const csr_graph& graph, node_id source,
                                     std::span<const std::int32_t> parents) {
  if (parents.size() != graph.num_nodes()) {
    return "bfs: not one parent a node";
  }
  const std::vector<int> depths = depths_from(graph, source);
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    if (!is_right_parent(graph, depths, node, parents[node])) {
      return "bfs: node " + std::to_string(node) + " at depth " + std::to_string(depths[node]) +
             " has parent " + std::to_string(parents[node]);
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
