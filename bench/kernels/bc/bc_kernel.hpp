// Betweenness centrality, from one source.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Brandes' algorithm for one source, as GAP runs it by default: a breadth-first search that counts
/// shortest paths and keeps each node's successors, then dependencies summed from the farthest node
/// back, then all scores divided by the largest.
///
/// The source keeps its own dependency (the number of nodes it reaches), as in GAP; textbooks drop
/// it. Successors are kept as lists, as Madduri et al. do; GAP's bitmap of them saves memory on
/// graphs that are larger than caches. Unreached nodes score 0, and so do all if nothing is
/// reached. `run()` is O(n + m). Source: U. Brandes, "A faster algorithm for betweenness
/// centrality", 2001; K. Madduri et al., "A faster parallel algorithm and efficient multithreaded
/// implementations for evaluating betweenness centrality on massive datasets", IPDPS 2009.
class alignas(kIsolationBytes) bc_kernel final : public kernel_instance {
 public:
  /// Throws std::invalid_argument if `source` is not a node of `graph`.
  bc_kernel(csr_graph graph, node_id source);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// Of the last run: each node's score, from 0 to 1.
  [[nodiscard]] std::span<const float> scores() const noexcept { return scores_.span(); }

 private:
  [[nodiscard]] std::uint32_t count_paths() noexcept;
  void accumulate(std::uint32_t num_reached) noexcept;
  void normalize() noexcept;

  csr_graph graph_;
  node_id source_;
  isolated_array<std::int32_t> depths_;
  isolated_array<double> path_counts_;
  /// The reached nodes, nearest first.
  isolated_array<node_id> queue_;
  isolated_array<node_id> successors_;
  /// By place in the queue: where the node's successors begin; one more entry for the end.
  isolated_array<std::uint32_t> successors_begin_;
  /// (1 + dependency) / path count, what each node gives its predecessors per path.
  isolated_array<double> shares_;
  isolated_array<float> scores_;
};

}  // namespace fg::bench
