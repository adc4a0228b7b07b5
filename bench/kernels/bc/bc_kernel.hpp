// Betweenness centrality, from one source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/graph/bitmap.hpp"
#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Brandes' algorithm for one source, the GAP Benchmark Suite's default number of sources.
///
/// Kept from the suite: the level-by-level search, which counts shortest paths in double precision,
/// sets a bit for every edge to a successor and records where each level begins in its queue; the
/// backward pass over all edges of each level's nodes, which tests that bit and divides path counts
/// edge by edge; single-precision dependencies and scores; the division of all scores by the
/// largest. Left out: allocation, and what is needed only with several threads (atomics, per-thread
/// queues, barriers).
///
/// The source keeps its own dependency (the number of nodes it reaches), as in the suite; textbooks
/// drop it. Unreached nodes score 0, and so do all if nothing is reached (in the suite: 0 / 0).
/// `run()` is O(n + m). Source: U. Brandes, "A faster algorithm for betweenness centrality", 2001;
/// K. Madduri et al., "A faster parallel algorithm and efficient multithreaded implementations for
/// evaluating betweenness centrality on massive datasets", IPDPS 2009.
class alignas(kIsolationBytes) bc_kernel final : public kernel_instance {
 public:
  /// Throws std::invalid_argument if `source` is not a node of `graph`.
  bc_kernel(csr_graph graph, node_id source);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The score of each node in the last run, from 0 to 1.
  [[nodiscard]] std::span<const float> scores() const noexcept { return scores_.span(); }

 private:
  void reset() noexcept;
  [[nodiscard]] std::uint32_t count_paths() noexcept;
  [[nodiscard]] std::uint32_t expand_level(std::uint32_t level) noexcept;
  void accumulate_level(std::uint32_t level) noexcept;
  void normalize() noexcept;

  csr_graph graph_;
  node_id source_;
  isolated_array<std::int32_t> depths_;
  isolated_array<double> path_counts_;
  /// The reached nodes, nearest first.
  isolated_array<node_id> queue_;
  /// Where in the queue each level begins: at most n levels, then the end of the last, then an
  /// empty one.
  isolated_array<std::uint32_t> level_begins_;
  /// Which directed edges, by `csr_graph::first_edge`, lead to the next level.
  bitmap successors_;
  isolated_array<float> dependencies_;
  isolated_array<float> scores_;
};

}  // namespace fg::bench
