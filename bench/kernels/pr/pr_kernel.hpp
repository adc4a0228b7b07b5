// PageRank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// When PageRank stops; GAP's defaults.
struct pr_limits {
  unsigned max_iterations = 20;
  /// Sum of the changes of all scores in one iteration.
  double tolerance = 1e-4;
};

/// Pull-based PageRank with damping .85, Gauss-Seidel style: nodes later in the same iteration use
/// the new score, as in GAP's pr.cc since 2021 (its older Jacobi version is pr_spmv.cc there).
/// Nodes without neighbours keep (1 - .85) / n, and their rank is not spread, as in GAP.
///
/// `run()` is O(n + m) per iteration.
/// Source: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking", 1999; data
/// types, stopping rule and parameters are those of the GAP Benchmark Suite.
class alignas(kIsolationBytes) pr_kernel final : public kernel_instance {
 public:
  explicit pr_kernel(csr_graph graph, pr_limits limits = {});

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The rank of each node in the last run.
  [[nodiscard]] std::span<const float> scores() const noexcept { return scores_.span(); }

 private:
  void start() noexcept;
  [[nodiscard]] double sweep() noexcept;
  [[nodiscard]] float contribution(node_id node, float score) const noexcept;

  csr_graph graph_;
  pr_limits limits_;
  isolated_array<float> scores_;
  /// Each node's score divided by its degree: its contribution to every neighbour.
  isolated_array<float> contributions_;
};

}  // namespace fg::bench
