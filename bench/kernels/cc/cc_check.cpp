// SPDX-License-Identifier: Apache-2.0
#include "kernels/cc/cc_check.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace fg::bench {
namespace {

/// Disjoint sets of nodes, joined by size.
class union_find {
 public:
  explicit union_find(node_id num_nodes) : parents_(num_nodes), sizes_(num_nodes, 1) {
    std::iota(parents_.begin(), parents_.end(), node_id{0});
  }

  [[nodiscard]] node_id find(node_id node) const {
    while (parents_[node] != node) {
      node = parents_[node];
    }
    return node;
  }

  void join(node_id a, node_id b) {
    node_id large = find(a);
    node_id small = find(b);
    if (large == small) {
      return;
    }
    if (sizes_[large] < sizes_[small]) {
      std::swap(large, small);
    }
    parents_[small] = large;
    sizes_[large] += sizes_[small];
  }

 private:
  std::vector<node_id> parents_;
  std::vector<node_id> sizes_;
};

}  // namespace

std::optional<std::string> check_cc(const csr_graph& graph, std::span<const node_id> labels) {
  if (labels.size() != graph.num_nodes()) {
    return "cc: not one label a node";
  }
  union_find components(graph.num_nodes());
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    for (const node_id neighbor : graph.neighbors(node)) {
      components.join(node, neighbor);
    }
  }
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    const node_id root = components.find(node);
    const node_id label = labels[node];
    // The first test excludes that two components share a label, the second that one has two.
    if (label >= graph.num_nodes() || components.find(label) != root || label != labels[root]) {
      return "cc: node " + std::to_string(node) + " has label " + std::to_string(label) +
             ", its component's node " + std::to_string(root) + " has " +
             std::to_string(labels[root]);
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
