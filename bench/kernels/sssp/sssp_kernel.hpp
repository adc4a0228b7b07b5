// Single-source shortest paths.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"
#include "kernels/sssp/distance_bins.hpp"

namespace fg::bench {

/// Delta-stepping as the GAP Benchmark Suite runs it, with the suite's default delta of 1.
///
/// Kept from the suite: one growing bin for each distance / delta, the frontier to which the next
/// non-empty bin is copied, entries that stay when their node moves to a nearer bin and are skipped
/// later, the search for the next non-empty bin, and bin fusion (a bin that refills to less than
/// 1000 entries continues in the same step). Left out: the allocation of the bins, and what is
/// needed only with several threads (compare-and-swap, barriers, votes on the next bin).
///
/// Capacity of the bins, with n nodes: no path that shortens a distance visits a node twice, so no
/// distance exceeds L = (n - 1) * (largest weight) and the bins 0 .. L / delta are enough. A node
/// enters a bin only with a smaller distance than ever before, and a bin spans `delta` of the L + 1
/// possible distances, so a bin never takes more than n * min(delta, L + 1) entries in a whole run;
/// with a delta of 1, each node once. That is O(n (L + delta)) memory: for small graphs.
///
/// `run()` is O(n + m + L) with a delta of 1.
/// Source: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003;
/// Y. Zhang et al., "Optimizing ordered graph algorithms with GraphIt", CGO 2020, for bin fusion.
class alignas(kIsolationBytes) sssp_kernel final : public kernel_instance {
 public:
  using distance = std::uint32_t;

  /// The distance of a node that the source does not reach.
  static constexpr distance kUnreached = std::numeric_limits<distance>::max();

  /// Throws std::invalid_argument if `source` is not a node of `graph`, `delta` is 0, the graph has
  /// edges but no weights, or the bins would take more than a gibibyte.
  sssp_kernel(csr_graph graph, node_id source, distance delta = 1);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The distance of each node from the source in the last run, or `kUnreached`.
  [[nodiscard]] std::span<const distance> distances() const noexcept { return distances_.span(); }

  /// The number of frontiers in the last run, the suite's number of iterations.
  [[nodiscard]] std::uint32_t num_steps() const noexcept { return num_steps_; }

 private:
  void relax_frontier(std::span<const node_id> frontier, std::size_t bin) noexcept;
  void fuse_refills(std::size_t bin) noexcept;
  void relax_edges(node_id node) noexcept;

  csr_graph graph_;
  node_id source_;
  distance delta_;
  std::uint32_t num_steps_ = 0;
  isolated_array<distance> distances_;
  /// A copy of a bin, so that the bin can refill while its old entries are processed.
  isolated_array<node_id> frontier_;
  /// All empty between runs.
  distance_bins bins_;
};

}  // namespace fg::bench
