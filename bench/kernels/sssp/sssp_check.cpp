// SPDX-License-Identifier: Apache-2.0
#include "kernels/sssp/sssp_check.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace fg::bench {
namespace {

constexpr std::uint64_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Relaxes every edge once, over all nodes. Returns whether any distance improved.
bool relax_all(const csr_graph& graph, std::vector<std::uint64_t>& distances) {
  bool helped = false;
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    for (std::size_t i = 0; i < graph.degree(node); ++i) {
      const std::uint64_t offered = distances[node] + graph.weights(node)[i];
      std::uint64_t& known = distances[graph.neighbors(node)[i]];
      if (distances[node] != kFar && offered < known) {
        known = offered;
        helped = true;
      }
    }
  }
  return helped;
}

}  // namespace

std::optional<std::string> check_sssp(const csr_graph& graph, node_id source,
                                      std::span<const std::uint32_t> distances) {
  if (distances.size() != graph.num_nodes()) {
    return "sssp: not one distance a node";
  }
  std::vector<std::uint64_t> expected(graph.num_nodes(), kFar);
  expected[source] = 0;
  while (relax_all(graph, expected)) {
  }
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    if (distances[node] != expected[node]) {
      return "sssp: node " + std::to_string(node) + " at distance " +
             std::to_string(distances[node]) + " instead of " + std::to_string(expected[node]);
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
