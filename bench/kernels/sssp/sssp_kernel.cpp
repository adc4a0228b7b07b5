#include "kernels/sssp/sssp_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "kernels/sssp/sssp_check.hpp"

namespace fg::bench {
namespace {

/// The end of a bucket's list.
constexpr node_id kNone = std::numeric_limits<node_id>::max();

void require_usable(const csr_graph& graph, node_id source, sssp_kernel::distance delta) {
  if (source >= graph.num_nodes()) {
    throw std::invalid_argument("sssp: the source is not a node of the graph");
  }
  if (!std::has_single_bit(delta)) {
    throw std::invalid_argument("sssp: delta is not a power of two");
  }
  if (graph.num_edges() != 0 && !graph.has_weights()) {
    throw std::invalid_argument("sssp: the graph has no weights");
  }
  if (graph.max_weight() >= sssp_kernel::kUnreached / 2 / graph.num_nodes()) {
    throw std::invalid_argument("sssp: weights too large for 32-bit distances");
  }
}

/// How many buckets can be in use at once: the current one, and all that an edge reaches from it.
std::uint32_t count_buckets(const csr_graph& graph, sssp_kernel::distance delta) {
  return std::bit_ceil(1 + ((delta - 1 + graph.max_weight()) / delta));
}

}  // namespace

sssp_kernel::sssp_kernel(csr_graph graph, node_id source, distance delta)
    : graph_((require_usable(graph, source, delta), std::move(graph))),
      source_(source),
      delta_shift_(static_cast<std::uint32_t>(std::countr_zero(delta))),
      bucket_mask_(count_buckets(graph_, delta) - 1),
      distances_(graph_.num_nodes()),
      buckets_(std::size_t{bucket_mask_} + 1, kNone),
      links_(graph_.num_nodes()),
      waiting_(graph_.num_nodes()) {
  clear();
}

void sssp_kernel::run() noexcept {
  std::fill_n(distances_.data(), distances_.size(), kUnreached);
  distances_[source_] = 0;
  insert(source_, 0);
  for (std::uint32_t bucket = 0; num_waiting_ != 0; ++bucket) {
    // Settling a node may put others, or the node itself again, into the same bucket.
    for (node_id node = buckets_[bucket & bucket_mask_]; node != kNone;
         node = buckets_[bucket & bucket_mask_]) {
      settle(node);
    }
  }
}

/// Takes `node` out of its bucket and relaxes its edges.
void sssp_kernel::settle(node_id node) noexcept {
  const distance reached = distances_[node];
  remove(node, reached);
  const std::span<const node_id> neighbors = graph_.neighbors(node);
  const std::span<const edge_weight> weights = graph_.weights(node);
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    const node_id neighbor = neighbors[i];
    const distance offered = reached + weights[i];
    const distance known = distances_[neighbor];
    if (offered < known) {
      if (waiting_[neighbor] != 0) {
        remove(neighbor, known);
      }
      distances_[neighbor] = offered;
      insert(neighbor, offered);
    }
  }
}

void sssp_kernel::insert(node_id node, distance d) noexcept {
  node_id& first = bucket_of(d);
  links_[node] = {.previous = kNone, .next = first};
  if (first != kNone) {
    links_[first].previous = node;
  }
  first = node;
  waiting_[node] = 1;
  ++num_waiting_;
}

/// Requires `node` to be in the bucket of distance `d`.
void sssp_kernel::remove(node_id node, distance d) noexcept {
  const auto [previous, next] = links_[node];
  (previous == kNone ? bucket_of(d) : links_[previous].next) = next;
  if (next != kNone) {
    links_[next].previous = previous;
  }
  waiting_[node] = 0;
  --num_waiting_;
}

std::optional<std::string> sssp_kernel::check() const {
  return check_sssp(graph_, source_, distances());
}

void sssp_kernel::clear() noexcept {
  // Wrong for the source at least, which is 0 away.
  std::fill_n(distances_.data(), distances_.size(), kUnreached);
}

}  // namespace fg::bench
