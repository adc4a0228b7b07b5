// SPDX-License-Identifier: Apache-2.0
#include "kernels/tc/tc_check.hpp"

#include <vector>

namespace fg::bench {

std::optional<std::string> check_tc(const csr_graph& graph, std::uint64_t num_triangles) {
  const node_id n = graph.num_nodes();
  std::vector<std::vector<bool>> adjacent(n, std::vector<bool>(n, false));
  for (node_id node = 0; node < n; ++node) {
    for (const node_id neighbor : graph.neighbors(node)) {
      adjacent[node][neighbor] = true;
    }
  }
  std::uint64_t expected = 0;
  for (node_id a = 0; a < n; ++a) {
    for (node_id b = a + 1; b < n; ++b) {
      for (node_id c = b + 1; c < n; ++c) {
        expected += adjacent[a][b] && adjacent[b][c] && adjacent[a][c] ? 1U : 0U;
      }
    }
  }
  if (num_triangles != expected) {
    return "tc: " + std::to_string(num_triangles) + " triangles instead of " +
           std::to_string(expected);
  }
  return std::nullopt;
}

}  // namespace fg::bench
