// SPDX-License-Identifier: Apache-2.0
#include "kernels/bfs/bfs_kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/bfs/bfs_check.hpp"

namespace fg::bench {
namespace {

/// Switches to bottom-up when the frontier has more than this fraction of the unexplored edges ...
constexpr std::uint32_t kAlpha = 15;
/// ... and back to top-down when it shrinks to this fraction of the nodes.
constexpr std::uint32_t kBeta = 18;

}  // namespace

bfs_kernel::bfs_kernel(csr_graph graph, node_id source)
    : graph_(std::move(graph)),
      source_(source),
      parents_(graph_.num_nodes(), kNoParent),
      queue_(graph_.num_nodes()),
      front_(graph_.num_nodes()),
      next_(graph_.num_nodes()) {
  if (source_ >= graph_.num_nodes()) {
    throw std::invalid_argument("bfs: the source is not a node of the graph");
  }
}

void bfs_kernel::run() noexcept {
  mark_all_unvisited();
  parents_[source_] = static_cast<std::int32_t>(source_);
  queue_[0] = source_;
  frontier current{.begin = 0, .end = 1};
  std::uint32_t edges_left = graph_.num_directed_edges();
  std::uint32_t edges_ahead = graph_.degree(source_);
  while (current.begin != current.end) {
    if (edges_ahead > edges_left / kAlpha) {
      current = climb_while_large(current);
      edges_ahead = 1;  // As in GAP: unknown, and small after the bottom-up steps.
    } else {
      // An estimate, as in GAP: bottom-up steps do not count their edges.
      edges_left -= std::min(edges_left, edges_ahead);
      current = step_down(current, edges_ahead);
    }
  }
  mark_unreached();
}

void bfs_kernel::mark_all_unvisited() noexcept {
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    const auto degree = static_cast<std::int32_t>(graph_.degree(node));
    parents_[node] = -std::max(degree, std::int32_t{1});
  }
}

void bfs_kernel::mark_unreached() noexcept {
  for (std::int32_t& parent : parents_.span()) {
    parent = std::max(parent, kNoParent);
  }
}

/// One level top-down. `edges_ahead` becomes the number of edges that leave the next frontier.
bfs_kernel::frontier bfs_kernel::step_down(frontier current, std::uint32_t& edges_ahead) noexcept {
  std::uint32_t tail = current.end;
  std::uint32_t ahead = 0;
  for (std::uint32_t i = current.begin; i < current.end; ++i) {
    const node_id node = queue_[i];
    for (const node_id neighbor : graph_.neighbors(node)) {
      const std::int32_t parent = parents_[neighbor];
      if (parent < 0) {
        parents_[neighbor] = static_cast<std::int32_t>(node);
        queue_[tail++] = neighbor;
        ahead += static_cast<std::uint32_t>(-parent);
      }
    }
  }
  edges_ahead = ahead;
  return {.begin = current.end, .end = tail};
}

/// Bottom-up levels until the frontier is small and shrinks; queues the last one.
bfs_kernel::frontier bfs_kernel::climb_while_large(frontier current) noexcept {
  front_.clear();
  for (std::uint32_t i = current.begin; i < current.end; ++i) {
    front_.set(queue_[i]);
  }
  std::uint32_t awake = current.end - current.begin;
  std::uint32_t previously_awake = 0;
  do {
    previously_awake = awake;
    awake = step_up();
    front_.swap(next_);
  } while (awake >= previously_awake || awake > graph_.num_nodes() / kBeta);
  std::uint32_t tail = current.end;
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    if (front_.test(node)) {
      queue_[tail++] = node;
    }
  }
  return {.begin = current.end, .end = tail};
}

/// One level bottom-up, from `front_` to `next_`. Returns how many nodes it visited.
std::uint32_t bfs_kernel::step_up() noexcept {
  next_.clear();
  std::uint32_t awake = 0;
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    if (parents_[node] >= 0) {
      continue;
    }
    for (const node_id neighbor : graph_.neighbors(node)) {
      if (front_.test(neighbor)) {
        parents_[node] = static_cast<std::int32_t>(neighbor);
        next_.set(node);
        ++awake;
        break;
      }
    }
  }
  return awake;
}

std::optional<std::string> bfs_kernel::check() const {
  return check_bfs(graph_, source_, parents());
}

void bfs_kernel::clear() noexcept {
  // Invalid at least for the source, which is its own parent.
  std::fill_n(parents_.data(), parents_.size(), kNoParent);
}

}  // namespace fg::bench
