// Single-source shortest paths.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Delta-stepping with GAP's default delta of 1, and without a split into light and heavy edges, as
/// in GAP. The buckets are those of the original: used cyclically, and doubly linked lists, so a
/// node whose distance shrinks moves to its new bucket. GAP's grow instead and keep stale entries;
/// these never need more than one place a node, so nothing is allocated.
///
/// `run()` is O(n + m + d) where d is the largest distance over delta, with a delta of 1.
/// Source: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003.
class alignas(kIsolationBytes) sssp_kernel final : public kernel_instance {
 public:
  using distance = std::uint32_t;

  /// The distance of a node that the source does not reach.
  static constexpr distance kUnreached = std::numeric_limits<distance>::max();

  /// Throws std::invalid_argument if `source` is not a node of `graph`, `delta` no power of two (so
  /// that no division is needed), the graph has edges but no weights, or weights so large that a
  /// distance might not fit.
  sssp_kernel(csr_graph graph, node_id source, distance delta = 1);

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  /// Of the last run: each node's distance from the source, or `kUnreached`.
  [[nodiscard]] std::span<const distance> distances() const noexcept { return distances_.span(); }

 private:
  /// A node's place in its bucket.
  struct links {
    node_id previous;
    node_id next;
  };

  [[nodiscard]] node_id& bucket_of(distance d) noexcept {
    return buckets_[(d >> delta_shift_) & bucket_mask_];
  }
  void insert(node_id node, distance d) noexcept;
  void remove(node_id node, distance d) noexcept;
  void settle(node_id node) noexcept;

  csr_graph graph_;
  node_id source_;
  std::uint32_t delta_shift_;
  std::uint32_t bucket_mask_;
  /// Nodes in all buckets together.
  std::uint32_t num_waiting_ = 0;
  isolated_array<distance> distances_;
  /// The first node of each bucket; all are empty between runs.
  isolated_array<node_id> buckets_;
  isolated_array<links> links_;
  /// Whether a node is in a bucket; all 0 between runs.
  isolated_array<std::uint8_t> waiting_;
};

}  // namespace fg::bench
