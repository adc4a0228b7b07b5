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
      successors_(graph_.num_directed_edges()),
      successors_begin_(std::size_t{graph_.num_nodes()} + 1),
      shares_(graph_.num_nodes()),
      scores_(graph_.num_nodes()) {
  if (source_ >= graph_.num_nodes()) {
    throw std::invalid_argument("bc: the source is not a node of the graph");
  }
  clear();
}

void bc_kernel::run() noexcept {
  std::fill_n(depths_.data(), depths_.size(), kUnreached);
  std::fill_n(path_counts_.data(), path_counts_.size(), 0.0);
  std::fill_n(scores_.data(), scores_.size(), 0.0F);
  accumulate(count_paths());
  normalize();
}

/// The search. Returns the number of reached nodes, which it leaves in the queue.
std::uint32_t bc_kernel::count_paths() noexcept {
  depths_[source_] = 0;
  path_counts_[source_] = 1.0;
  queue_[0] = source_;
  std::uint32_t tail = 1;
  std::uint32_t num_successors = 0;
  for (std::uint32_t head = 0; head < tail; ++head) {
    const node_id node = queue_[head];
    const std::int32_t next_depth = depths_[node] + 1;
    const double paths = path_counts_[node];
    successors_begin_[head] = num_successors;
    for (const node_id neighbor : graph_.neighbors(node)) {
      if (depths_[neighbor] == kUnreached) {
        depths_[neighbor] = next_depth;
        queue_[tail++] = neighbor;
      }
      if (depths_[neighbor] == next_depth) {
        path_counts_[neighbor] += paths;
        successors_[num_successors++] = neighbor;
      }
    }
  }
  successors_begin_[tail] = num_successors;
  return tail;
}

/// The way back: a node's dependency, once those of all its successors are known.
void bc_kernel::accumulate(std::uint32_t num_reached) noexcept {
  for (std::uint32_t place = num_reached; place-- > 0;) {
    const node_id node = queue_[place];
    double share_sum = 0.0;
    for (std::uint32_t i = successors_begin_[place]; i < successors_begin_[place + 1]; ++i) {
      share_sum += shares_[successors_[i]];
    }
    const double dependency = path_counts_[node] * share_sum;
    shares_[node] = (1.0 + dependency) / path_counts_[node];
    scores_[node] = static_cast<float>(dependency);
  }
}

void bc_kernel::normalize() noexcept {
  // The source depends on every node that it reaches, so no score is larger than its own.
  const float largest = scores_[source_];
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
