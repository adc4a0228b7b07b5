// The nodes of a graph, which do their work and can prove that they did.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "kernels/isolated_array.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "programs/graph/graph_shape.hpp"

namespace fg::bench {

class graph_nodes;

/// A node: `spin-N`'s chain from another state in each run, of no step or more. It writes nothing
/// outside of its own lines.
class alignas(kIsolationBytes) graph_node {
 public:
  /// Called once in a run, on any thread, after all that precede it.
  void operator()() noexcept {
    if (is_watched_) [[unlikely]] {
      look_around();
    }
    if (steps_ != 0) {
      result_ = walk_lcg_chain(runs_, steps_);
    }
    ++runs_;
  }

 private:
  friend class graph_nodes;

  void look_around() noexcept;

  std::uint64_t runs_ = 0;  // that have ended
  std::uint64_t steps_ = 0;
  std::uint64_t result_ = 0;
  bool is_watched_ = false;
  bool was_early_ = false;  // began in a watched run before one that precedes it had ended
  int cpu_ = -1;            // of the last watched run
  std::uint64_t delay_ = 0;
  graph_nodes* graph_ = nullptr;
};

/// All nodes of a graph. One thread uses it, while no node runs.
class graph_nodes {
 public:
  /// Nodes of so many steps, times their weights, at least 1; of none if that is 0.
  graph_nodes(graph_shape shape, double steps);
  graph_nodes(const graph_nodes&) = delete;
  graph_nodes& operator=(const graph_nodes&) = delete;

  [[nodiscard]] const graph_shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] graph_node& operator[](std::size_t at) noexcept { return nodes_[at]; }
  [[nodiscard]] graph_node* begin() noexcept { return nodes_.data(); }
  [[nodiscard]] graph_node* end() noexcept { return nodes_.data() + nodes_.size(); }

  /// Whether nodes look in the following runs whether those that precede them have ended, and where
  /// they are. `delay`: they take up to so many steps longer, each time others, which brings to light
  /// what is only right as long as nodes take what they take.
  void watch(bool is_watched, std::uint64_t delay = 0) noexcept;

  /// Throws wrong_result unless each node ran as often as the graph, to the right end, and in watched
  /// runs after those that precede it.
  void check(std::uint64_t runs) const;

  /// The CPUs of the last watched run, of each node.
  [[nodiscard]] std::vector<int> cpus() const;

 private:
  friend class graph_node;

  graph_shape shape_;
  std::vector<graph_node> nodes_;
};

}  // namespace fg::bench
