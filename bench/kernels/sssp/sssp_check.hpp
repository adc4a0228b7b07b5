// An independent check of shortest paths.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `distances` with those of Bellman and Ford: relaxes every edge until no distance
/// improves. A node that is not reached has the largest 32-bit number. Returns nothing, or one line
/// that says what is wrong. O(n m).
[[nodiscard]] std::optional<std::string> check_sssp(const csr_graph& graph, node_id source,
                                                    std::span<const std::uint32_t> distances);

}  // namespace fg::bench
