// An independent check of triangle counting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `num_triangles` with a count over all triples of nodes in an adjacency matrix. Returns
/// nothing, or one line that says what is wrong. O(n^3) time and O(n^2) memory: for small graphs.
[[nodiscard]] std::optional<std::string> check_tc(const csr_graph& graph,
                                                  std::uint64_t num_triangles);

}  // namespace fg::bench
