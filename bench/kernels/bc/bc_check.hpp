// An independent check of betweenness centrality.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `scores` with the definition, in double precision and without Brandes' recurrence: the
/// fraction of all shortest paths from the source to each other node that pass the scored node (the
/// target does not count, the source does), divided by the largest such sum. Returns nothing, or
/// one line that says what is wrong. O(n (n + m)).
[[nodiscard]] std::optional<std::string> check_bc(const csr_graph& graph, node_id source,
                                                  std::span<const float> scores);

}  // namespace fg::bench
