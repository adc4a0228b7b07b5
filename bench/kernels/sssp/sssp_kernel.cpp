// SPDX-License-Identifier: Apache-2.0
#include "kernels/sssp/sssp_kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/sssp/sssp_check.hpp"

namespace fg::bench {
namespace {

/// From this size on, a refilled bin is a step of its own. (Threads share a step's frontier.)
constexpr std::size_t kFusionLimit = 1000;

/// A gibibyte of entries. Also keeps all distances, and their sums with a weight, within 32 bits.
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 28;

/// The L of the header's proof.
std::uint64_t longest_distance(const csr_graph& graph) {
  return std::uint64_t{graph.num_nodes() - 1} * graph.max_weight();
}

std::uint64_t count_bins(const csr_graph& graph, sssp_kernel::distance delta) {
  return (longest_distance(graph) / delta) + 1;
}

std::uint64_t bin_capacity(const csr_graph& graph, sssp_kernel::distance delta) {
  return graph.num_nodes() * std::min(std::uint64_t{delta}, longest_distance(graph) + 1);
}

void require_usable(const csr_graph& graph, node_id source, sssp_kernel::distance delta) {
  if (source >= graph.num_nodes()) {
    throw std::invalid_argument("sssp: the source is not a node of the graph");
  }
  if (delta == 0) {
    throw std::invalid_argument("sssp: delta is 0");
  }
  if (graph.num_edges() != 0 && !graph.has_weights()) {
    throw std::invalid_argument("sssp: the graph has no weights");
  }
  if (count_bins(graph, delta) > kMaxEntries / bin_capacity(graph, delta)) {
    throw std::invalid_argument("sssp: too many nodes, or weights too large");
  }
}

}  // namespace

sssp_kernel::sssp_kernel(csr_graph graph, node_id source, distance delta)
    : graph_((require_usable(graph, source, delta), std::move(graph))),
      source_(source),
      delta_(delta),
      distances_(graph_.num_nodes()),
      frontier_(bin_capacity(graph_, delta)),
      bins_(count_bins(graph_, delta), bin_capacity(graph_, delta)) {
  clear();
}

void sssp_kernel::run() noexcept {
  std::fill_n(distances_.data(), distances_.size(), kUnreached);
  bins_.reset();
  num_steps_ = 0;
  distances_[source_] = 0;
  frontier_[0] = source_;
  std::span<const node_id> frontier = frontier_.span().first(1);
  std::size_t bin = 0;
  while (!frontier.empty()) {
    relax_frontier(frontier, bin);
    fuse_refills(bin);
    bin = bins_.find_filled(bin);
    frontier = bins_.move_out(bin, frontier_.span());
    ++num_steps_;
  }
}

void sssp_kernel::relax_frontier(std::span<const node_id> frontier, std::size_t bin) noexcept {
  const std::size_t nearest = std::size_t{delta_} * bin;
  for (const node_id node : frontier) {
    // Else the entry is stale: an earlier step has settled the node.
    if (distances_[node] >= nearest) {
      relax_edges(node);
    }
  }
}

/// Continues with `bin` while relaxing its nodes puts others, or the same ones again, into it.
void sssp_kernel::fuse_refills(std::size_t bin) noexcept {
  while (bins_.size(bin) != 0 && bins_.size(bin) < kFusionLimit) {
    // No distance in the current bin can fall below the bin, so no entry is stale.
    for (const node_id node : bins_.move_out(bin, frontier_.span())) {
      relax_edges(node);
    }
  }
}

void sssp_kernel::relax_edges(node_id node) noexcept {
  const distance reached = distances_[node];
  const std::span<const node_id> neighbors = graph_.neighbors(node);
  const std::span<const edge_weight> weights = graph_.weights(node);
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    const distance offered = reached + weights[i];
    if (offered < distances_[neighbors[i]]) {
      distances_[neighbors[i]] = offered;
      bins_.push(offered / delta_, neighbors[i]);
    }
  }
}

std::optional<std::string> sssp_kernel::check() const {
  return check_sssp(graph_, source_, distances());
}

void sssp_kernel::clear() noexcept {
  // Wrong at least for the source, whose distance is 0.
  std::fill_n(distances_.data(), distances_.size(), kUnreached);
}

}  // namespace fg::bench
