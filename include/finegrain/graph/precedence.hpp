// Which nodes of a graph run before which, and an order in which all may run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Node `before` ends before node `after` begins. Nodes are numbered in the order of their addition.
struct graph_edge {
  std::uint32_t before;
  std::uint32_t after;
  friend auto operator<=>(const graph_edge&, const graph_edge&) = default;
};

/// For each node of a graph, those at the other end of its edges, one after the other in memory.
class neighbours {
 public:
  neighbours() = default;

  /// `end_of`: the number of the node that an edge belongs to; `other_of`: of the other one.
  template <class EndOf, class OtherOf>
  neighbours(std::size_t nodes, const std::vector<graph_edge>& edges, EndOf end_of,
             OtherOf other_of)
      : first_(nodes + 1), all_(edges.size()) {
    for (const graph_edge& edge : edges) {
      ++first_[end_of(edge) + 1];
    }
    for (std::size_t node = 0; node != nodes; ++node) {
      first_[node + 1] += first_[node];
    }
    std::vector<std::uint32_t> next{first_.begin(), first_.end() - 1};
    for (const graph_edge& edge : edges) {
      all_[next[end_of(edge)]++] = other_of(edge);
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const noexcept {
    return {all_.data() + first_[node], all_.data() + first_[node + 1]};
  }

 private:
  std::vector<std::uint32_t> first_;  // of each node, and the end
  std::vector<std::uint32_t> all_;
};

/// The edges of a graph. Immutable.
class precedence {
 public:
  precedence() = default;

  /// Edges that are there several times count once. O((n + e) log(n + e)) for n nodes and e edges.
  /// Throws std::bad_alloc.
  precedence(std::size_t nodes, std::vector<graph_edge> edges) : nodes_{nodes} {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    edges_ = edges.size();
    const auto before = [](const graph_edge& edge) { return edge.before; };
    const auto after = [](const graph_edge& edge) { return edge.after; };
    successors_ = neighbours{nodes, edges, before, after};
    predecessors_ = neighbours{nodes, edges, after, before};
    find_order();
  }

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t edges() const noexcept { return edges_; }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const noexcept {
    return successors_.of(node);
  }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t node) const noexcept {
    return predecessors_.of(node);
  }

  /// All nodes, each after its predecessors, otherwise by number: so a program that adds its nodes
  /// as it would call them gets that order. Not all of them if there is a cycle.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  [[nodiscard]] bool has_cycle() const noexcept { return order_.size() != nodes_; }

  /// Nodes of which each precedes the next one, and the last one the first, which was added before all
  /// others. Requires: `has_cycle`.
  [[nodiscard]] std::vector<std::uint32_t> cycle() const {
    std::vector<bool> is_blocked(nodes_, true);
    for (const std::uint32_t node : order_) {
      is_blocked[node] = false;
    }
    // Each blocked node has a blocked predecessor. So many steps back lead onto a cycle.
    std::vector<std::uint32_t> before(nodes_);
    std::uint32_t at = 0;
    for (std::uint32_t node = 0; node != nodes_; ++node) {
      if (is_blocked[node]) {
        before[node] = *std::ranges::find_if(predecessors(node),
                                             [&](std::uint32_t each) { return is_blocked[each]; });
        at = node;
      }
    }
    for (std::size_t step = 0; step != nodes_; ++step) {
      at = before[at];
    }
    std::vector<std::uint32_t> found{at};
    while ((at = before[at]) != found.front()) {
      found.push_back(at);
    }
    std::reverse(found.begin(), found.end());
    std::rotate(found.begin(), std::min_element(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  void find_order() {
    std::vector<std::size_t> waits_for(nodes_);
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t node = 0; node != nodes_; ++node) {
      waits_for[node] = predecessors(node).size();
      if (waits_for[node] == 0) {
        ready.push(node);
      }
    }
    while (!ready.empty()) {
      const std::uint32_t node = ready.top();
      ready.pop();
      order_.push_back(node);
      for (const std::uint32_t next : successors(node)) {
        if (--waits_for[next] == 0) {
          ready.push(next);
        }
      }
    }
  }

  std::size_t nodes_ = 0;
  std::size_t edges_ = 0;
  neighbours successors_;
  neighbours predecessors_;
  std::vector<std::uint32_t> order_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
