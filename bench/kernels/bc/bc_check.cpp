// SPDX-License-Identifier: Apache-2.0
#include "kernels/bc/bc_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fg::bench {
namespace {

/// Scores are at most 1 and of type float.
constexpr double kTolerance = 1e-5;
constexpr int kUnreached = -1;

struct path_counts {
  std::vector<int> depths;
  std::vector<double> counts;
};

path_counts count_paths_from(const csr_graph& graph, node_id start) {
  path_counts paths{.depths = std::vector<int>(graph.num_nodes(), kUnreached),
                    .counts = std::vector<double>(graph.num_nodes(), 0.0)};
  paths.depths[start] = 0;
  paths.counts[start] = 1.0;
  std::vector<node_id> level{start};
  for (int depth = 1; !level.empty(); ++depth) {
    std::vector<node_id> next_level;
    for (const node_id node : level) {
      for (const node_id neighbor : graph.neighbors(node)) {
        if (paths.depths[neighbor] == kUnreached) {
          paths.depths[neighbor] = depth;
          next_level.push_back(neighbor);
        }
        if (paths.depths[neighbor] == depth) {
          paths.counts[neighbor] += paths.counts[node];
        }
      }
    }
    level = next_level;
  }
  return paths;
}

/// The sum, over all targets, of the fraction of the source's shortest paths that pass `node`.
double dependency_on(const csr_graph& graph, const path_counts& from_source, node_id node) {
  if (from_source.depths[node] == kUnreached) {
    return 0.0;
  }
  const path_counts from_node = count_paths_from(graph, node);
  double sum = 0.0;
  for (node_id end = 0; end < graph.num_nodes(); ++end) {
    const bool passes = end != node && from_node.depths[end] != kUnreached &&
                        from_source.depths[node] + from_node.depths[end] == from_source.depths[end];
    if (passes) {
      sum += from_source.counts[node] * from_node.counts[end] / from_source.counts[end];
    }
  }
  return sum;
}

}  // namespace

std::optional<std::string> check_bc(const csr_graph& graph, node_id source,
                                    std::span<const float> scores) {
  if (scores.size() != graph.num_nodes()) {
    return "bc: not one score a node";
  }
  const path_counts from_source = count_paths_from(graph, source);
  std::vector<double> expected(graph.num_nodes());
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    expected[node] = dependency_on(graph, from_source, node);
  }
  const double largest = *std::ranges::max_element(expected);
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    const double right = largest > 0.0 ? expected[node] / largest : 0.0;
    // Written so that a NaN score fails.
    if (!(std::abs(static_cast<double>(scores[node]) - right) <= kTolerance)) {
      return "bc: node " + std::to_string(node) + " scores " + std::to_string(scores[node]) +
             " instead of " + std::to_string(right);
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
