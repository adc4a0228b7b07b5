// An independent judge of triangle counting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `num_triangles` with what every three nodes' entries in an adjacency matrix say.
/// Returns nothing, or what is wrong in a line. O(n^3) time and O(n^2) memory: for small graphs.
[[nodiscard]] std::optional<std::string> check_tc(const csr_graph& graph,
                                                  std::uint64_t num_triangles);

}  // namespace fg::bench
