// Triangle counting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Counts each triangle once, as u > v > w, by merging the sorted neighbours of u and v.
///
/// GAP first relabels the nodes by degree, inside its timing, if a heuristic says that it pays. The
/// heuristic says no for every graph of an average degree (edges / nodes) below 10, and the paper's
/// has 4. So GAP counts on this graph as it is, and so does this kernel on any graph.
///
/// `run()` is O(m) merges of two neighbour lists.
/// Source: the ordered count of the GAP Benchmark Suite.
class alignas(kIsolationBytes) tc_kernel final : public kernel_instance {
 public:
  explicit tc_kernel(csr_graph graph);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The number of triangles in the last run.
  [[nodiscard]] std::uint64_t num_triangles() const noexcept { return num_triangles_; }

 private:
  [[nodiscard]] std::uint64_t count_common_below(node_id node, node_id neighbor) const noexcept;

  /// No graph of 32-bit nodes has this many.
  static constexpr std::uint64_t kNotCounted = std::numeric_limits<std::uint64_t>::max();

  csr_graph graph_;
  std::uint64_t num_triangles_ = kNotCounted;
};

}  // namespace fg::bench
