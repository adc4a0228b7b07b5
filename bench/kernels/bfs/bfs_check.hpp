// An independent check of a breadth-first search.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `parents` with the depths of a plain queue search: the source is its own parent, every
/// other reached node has a parent one level nearer and an edge to it, the rest have -1. It does
/// not compare parent arrays, because many are valid. Returns nothing, or one line that says what
/// is wrong. O(n + m).
[[nodiscard]] std::optional<std::string> check_bfs(const csr_graph& graph, node_id source,
                                                   std::span<const std::int32_t> parents);

}  // namespace fg::bench
