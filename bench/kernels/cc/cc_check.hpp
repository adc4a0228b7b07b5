// An independent check of connected components.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Compares `labels` with a union-find over all edges: each label must be a node of its component,
/// and the same for the whole component. Returns nothing, or one line that says what is wrong. O((n
/// + m) log n).
[[nodiscard]] std::optional<std::string> check_cc(const csr_graph& graph,
                                                  std::span<const node_id> labels);

}  // namespace fg::bench
