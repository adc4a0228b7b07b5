// An independent judge of betweenness centrality.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `scores` with the definition, in double precision and without Brandes' recurrence: of
/// all shortest paths from the source to each other node, the part that passes the scored node
/// (its far end does not count, the source does), divided by the largest such sum.
/// Returns nothing, or what is wrong in a line. O(n (n + m)).
[[nodiscard]] std::optional<std::string> check_bc(const csr_graph& graph, node_id source,
                                                  std::span<const float> scores);

}  // namespace fg::bench
