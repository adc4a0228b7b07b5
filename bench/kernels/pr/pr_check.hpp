// An independent check of PageRank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// Two tests, in double precision. Converged: one plain (Jacobi) step changes `scores` by less than
/// `tolerance` in total; a Gauss-Seidel sweep that changed them by less guarantees it. Right: each
/// score is as near as that implies to the fixed point that power iteration finds. Returns nothing,
/// or one line that says what is wrong. O(n + m) per iteration, about 200 of them.
[[nodiscard]] std::optional<std::string> check_pr(const csr_graph& graph,
                                                  std::span<const float> scores, double tolerance);

}  // namespace fg::bench
