// Connected components.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// The Shiloach-Vishkin algorithm, as GAP's cc_sv runs it: hook the root of the higher label onto
/// the lower one along every edge, then compress all chains, until nothing changes.
///
/// `run()` is O((n + m) log n) for all but contrived graphs.
/// Source: Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", 1982; D. Bader,
/// G. Cong, J. Feo, "On the architectural requirements for efficient execution of graph
/// algorithms", ICPP 2005.
class alignas(kIsolationBytes) cc_kernel final : public kernel_instance {
 public:
  explicit cc_kernel(csr_graph graph);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// The label of each node in the last run: a node of its component; equal if and only if
  /// connected.
  [[nodiscard]] std::span<const node_id> labels() const noexcept { return labels_.span(); }

 private:
  [[nodiscard]] bool hook() noexcept;
  void compress() noexcept;

  csr_graph graph_;
  isolated_array<node_id> labels_;
};

}  // namespace fg::bench
