// Which nodes of a graph run before which, and an order in which all may run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
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
  /// `for_each_edge(call)` calls `call(end, other)` for each edge, the same each time. Of equal edges
  /// one after the other only one is kept. Allocates nothing if it has had as many before.
  template <class ForEachEdge>
  void rebuild(std::size_t nodes, std::size_t edges, ForEachEdge for_each_edge) {
    all_.resize(edges);
    ranges_.assign(nodes, {0, 0});
    for_each_edge([this](std::uint32_t end, std::uint32_t) { ++ranges_[end].end; });
    std::uint32_t begin = 0;
    for (range& each : ranges_) {
      const std::uint32_t count = each.end;
      each = {begin, begin};
      begin += count;
    }
    kept_ = 0;
    for_each_edge([this](std::uint32_t end, std::uint32_t other) {
      range& own = ranges_[end];
      if (own.begin == own.end || all_[own.end - 1] != other) {
        all_[own.end++] = other;
        ++kept_;
      }
    });
  }

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const noexcept {
    return {all_.data() + ranges_[node].begin, all_.data() + ranges_[node].end};
  }
  /// Of all nodes together.
  [[nodiscard]] std::size_t size() const noexcept { return kept_; }

 private:
  struct range {
    std::uint32_t begin;
    std::uint32_t end;
  };

  std::vector<range> ranges_;  // of `all_`, by node
  std::vector<std::uint32_t> all_;
  std::size_t kept_ = 0;
};

/// The edges of a graph.
class precedence {
 public:
  /// Makes it that of other nodes and edges. Edges that are there several times count once. Allocates
  /// nothing if it has had as many before. O(n + e) for n nodes and e edges if their numbers are an
  /// order in which they may run, else O(n log n + e). Throws std::bad_alloc.
  void rebuild(std::size_t nodes, std::span<const graph_edge> edges) {
    nodes_ = nodes;
    predecessors_.rebuild(nodes, edges.size(), [edges](auto call) {
      for (const graph_edge& edge : edges) {
        call(edge.after, edge.before);
      }
    });
    // By ascending successor: so equal edges come one after the other.
    successors_.rebuild(nodes, edges.size(), [this](auto call) {
      for (std::uint32_t node = 0; node != nodes_; ++node) {
        for (const std::uint32_t before : predecessors(node)) {
          call(before, node);
        }
      }
    });
    if (successors_.size() != edges.size()) {
      predecessors_.rebuild(nodes, successors_.size(), [this](auto call) {
        for (std::uint32_t node = 0; node != nodes_; ++node) {
          for (const std::uint32_t after : successors(node)) {
            call(after, node);
          }
        }
      });
    }
    order_.resize(nodes);
    if (std::ranges::all_of(edges, [](const graph_edge& e) { return e.before < e.after; })) {
      std::iota(order_.begin(), order_.end(), 0U);
    } else {
      find_order();
    }
  }

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const noexcept {
    return successors_.of(node);
  }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t node) const noexcept {
    return predecessors_.of(node);
  }

  /// Whether one of them always ends before the other one begins. O(n + e). Throws std::bad_alloc.
  [[nodiscard]] bool are_ordered(std::uint32_t one, std::uint32_t other) const {
    return leads_to(one, other) || leads_to(other, one);
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
  [[nodiscard]] bool leads_to(std::uint32_t from, std::uint32_t to) const {
    std::vector<bool> is_found(nodes_);
    std::vector<std::uint32_t> found{from};
    while (!found.empty()) {
      const std::uint32_t at = found.back();
      found.pop_back();
      for (const std::uint32_t after : successors(at)) {
        if (after == to) {
          return true;
        }
        if (!is_found[after]) {
          is_found[after] = true;
          found.push_back(after);
        }
      }
    }
    return false;
  }

  void find_order() {
    order_.clear();
    waits_for_.resize(nodes_);
    for (std::uint32_t node = 0; node != nodes_; ++node) {
      waits_for_[node] = predecessors(node).size();
      if (waits_for_[node] == 0) {
        ready_.push_back(node);  // ascending: a heap
      }
    }
    while (!ready_.empty()) {
      std::ranges::pop_heap(ready_, std::greater<>{});
      const std::uint32_t node = ready_.back();
      ready_.pop_back();
      order_.push_back(node);
      for (const std::uint32_t next : successors(node)) {
        if (--waits_for_[next] == 0) {
          ready_.push_back(next);
          std::ranges::push_heap(ready_, std::greater<>{});
        }
      }
    }
  }

  std::size_t nodes_ = 0;
  neighbours successors_;
  neighbours predecessors_;
  std::vector<std::uint32_t> order_;
  // For `find_order`.
  std::vector<std::size_t> waits_for_;
  std::vector<std::uint32_t> ready_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
