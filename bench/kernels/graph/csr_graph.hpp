// The graph that the kernels read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/graph/edge_list.hpp"
#include "kernels/isolated_array.hpp"

namespace fg::bench {

/// An undirected graph in compressed sparse rows, in its own storage.
///
/// Guarantees: every edge is stored in both directions; neighbours are sorted and distinct; no node
/// is its own neighbour. The lightest of repeated edges is kept. Threads: immutable, any thread may
/// read it.
class csr_graph {
 public:
  /// Cleans and stores `list`. Throws std::invalid_argument if the list has no nodes, 2^31 nodes or
  /// 2^31 edges or more, an edge to a node it does not have, or weights for some edges only.
  /// O(m log m) for m edges.
  explicit csr_graph(const edge_list& list);

  [[nodiscard]] node_id num_nodes() const noexcept { return num_nodes_; }
  [[nodiscard]] std::uint32_t num_directed_edges() const noexcept { return offsets_[num_nodes_]; }
  [[nodiscard]] std::uint32_t num_edges() const noexcept { return num_directed_edges() / 2; }
  [[nodiscard]] bool has_weights() const noexcept { return weights_.size() != 0; }

  [[nodiscard]] std::uint32_t degree(node_id node) const noexcept {
    return offsets_[std::size_t{node} + 1] - offsets_[node];
  }

  /// The number of the directed edge to the first of `neighbors(node)`; the others' numbers follow,
  /// so every directed edge has its own number below `num_directed_edges()`.
  [[nodiscard]] std::uint32_t first_edge(node_id node) const noexcept { return offsets_[node]; }

  [[nodiscard]] std::span<const node_id> neighbors(node_id node) const noexcept {
    return {neighbors_.data() + offsets_[node], degree(node)};
  }

  /// The weights of the edges to `neighbors(node)`, in their order. Requires `has_weights()`.
  [[nodiscard]] std::span<const edge_weight> weights(node_id node) const noexcept {
    return {weights_.data() + offsets_[node], degree(node)};
  }

  /// The weight of the heaviest edge, 0 without edges. Requires `has_weights()` or no edges.
  [[nodiscard]] edge_weight max_weight() const noexcept;

 private:
  node_id num_nodes_;
  isolated_array<std::uint32_t> offsets_;
  isolated_array<node_id> neighbors_;
  isolated_array<edge_weight> weights_;
};

}  // namespace fg::bench
