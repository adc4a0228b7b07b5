// Breadth-first search: a parent for every node that the source reaches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/graph/bitmap.hpp"
#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Direction-optimising search: top-down steps over a queue, bottom-up steps over a bitmap while
/// the frontier is large, with GAP's alpha of 15 and beta of 18.
///
/// `run()` is O(n + m) plus O(n) for each bottom-up step.
/// Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC12;
/// parameters and the degrees kept in the parent array are those of the GAP Benchmark Suite.
class alignas(kIsolationBytes) bfs_kernel final : public kernel_instance {
 public:
  /// The parent of a node that the source does not reach.
  static constexpr std::int32_t kNoParent = -1;

  /// Throws std::invalid_argument if `source` is not a node of `graph`.
  bfs_kernel(csr_graph graph, node_id source);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The parent of each node in the last run: the source itself for the source, or `kNoParent`.
  [[nodiscard]] std::span<const std::int32_t> parents() const noexcept { return parents_.span(); }

 private:
  /// The part of the queue that is the current frontier.
  struct frontier {
    std::uint32_t begin;
    std::uint32_t end;
  };

  void mark_all_unvisited() noexcept;
  void mark_unreached() noexcept;
  [[nodiscard]] frontier step_down(frontier current, std::uint32_t& edges_ahead) noexcept;
  [[nodiscard]] frontier climb_while_large(frontier current) noexcept;
  [[nodiscard]] std::uint32_t step_up() noexcept;

  csr_graph graph_;
  node_id source_;
  /// While the search runs, minus the degree (at most -1) of an unvisited node.
  isolated_array<std::int32_t> parents_;
  isolated_array<node_id> queue_;
  bitmap front_;
  bitmap next_;
};

}  // namespace fg::bench
