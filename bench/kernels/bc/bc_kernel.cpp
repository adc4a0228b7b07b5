// SPDX-License-Identifier: Apache-2.0
#include "kernels/bc/bc_kernel.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/bc/bc_check.hpp"

namespace fg::bench {
namespace {

constexpr std::int32_t kUnreached = -1;

}  // namespace

bc_kernel::bc_kernel(csr_graph graph, node_id source)
    : graph_(std::move(graph)),
      source_(source),
      depths_(graph_.num_nodes()),
      path_counts_(graph_.num_nodes()),
      queue_(graph_.num_nodes()),
      level_begins_(std::size_t{graph_.num_nodes()} + 2),
      successors_(graph_.num_directed_edges()),
      dependencies_(graph_.num_nodes()),
      scores_(graph_.num_nodes()) {
  if (source_ >= graph_.num_nodes()) {
    throw std::invalid_argument("bc: the source is not a node of the graph");
  }
  clear();
}

void bc_kernel::run() noexcept {
  reset();
  for (std::uint32_t level = count_paths(); level-- > 0;) {
    accumulate_level(level);
  }
  normalize();
}

void bc_kernel::reset() noexcept {
  std::fill_n(depths_.data(), depths_.size(), kUnreached);
  std::fill_n(path_counts_.data(), path_counts_.size(), 0.0);
  successors_.clear();
  std::fill_n(dependencies_.data(), dependencies_.size(), 0.0F);
  std::fill_n(scores_.data(), scores_.size(), 0.0F);
}

/// The search. Returns the number of levels.
std::uint32_t bc_kernel::count_paths() noexcept {
  depths_[source_] = 0;
  path_counts_[source_] = 1.0;
  queue_[0] = source_;
  level_begins_[0] = 0;
  level_begins_[1] = 1;
  std::uint32_t level = 0;
  while (level_begins_[level] != level_begins_[level + 1]) {
    level_begins_[level + 2] = expand_level(level);
    ++level;
  }
  return level;
}

/// Queues the next level. Returns the queue's end.
std::uint32_t bc_kernel::expand_level(std::uint32_t level) noexcept {
  const auto next_depth = static_cast<std::int32_t>(level + 1);
  std::uint32_t tail = level_begins_[level + 1];
  for (std::uint32_t place = level_begins_[level]; place < level_begins_[level + 1]; ++place) {
    const node_id node = queue_[place];
    std::uint32_t edge = graph_.first_edge(node);
    for (const node_id neighbor : graph_.neighbors(node)) {
      if (depths_[neighbor] == kUnreached) {
        depths_[neighbor] = next_depth;
        queue_[tail++] = neighbor;
      }
      if (depths_[neighbor] == next_depth) {
        successors_.set(edge);
        path_counts_[neighbor] += path_counts_[node];
      }
      ++edge;
    }
  }
  return tail;
}

/// The backward pass: the dependencies of a level's nodes, once those of the next level are known.
void bc_kernel::accumulate_level(std::uint32_t level) noexcept {
  for (std::uint32_t place = level_begins_[level]; place < level_begins_[level + 1]; ++place) {
    const node_id node = queue_[place];
    float dependency = 0.0F;
    std::uint32_t edge = graph_.first_edge(node);
    for (const node_id neighbor : graph_.neighbors(node)) {
      if (successors_.test(edge)) {
        const double share = path_counts_[node] / path_counts_[neighbor];
        dependency = static_cast<float>(dependency + share * (1.0F + dependencies_[neighbor]));
      }
      ++edge;
    }
    dependencies_[node] = dependency;
    scores_[node] += dependency;
  }
}

void bc_kernel::normalize() noexcept {
  const float largest = *std::ranges::max_element(scores_.span());
  if (largest == 0.0F) {
    return;
  }
  for (float& score : scores_.span()) {
    score /= largest;
  }
}

std::optional<std::string> bc_kernel::check() const { return check_bc(graph_, source_, scores()); }

void bc_kernel::clear() noexcept { std::fill_n(scores_.data(), scores_.size(), -1.0F); }

}  // namespace fg::bench
