// Divides the nodes of a graph between two threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/precedence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One node in a lane, the sequence of nodes that one thread runs.
struct lane_step {
  node_body body;
  std::uint32_t node;
  std::uint32_t needs;  ///< so many steps of the other lane have to end before; 0: no new ones
  bool is_awaited;      ///< a step of the other lane needs that this one has ended
};

/// What it takes, in ticks, that there are two lanes. 0: it is not known.
struct lane_costs {
  std::uint64_t begin = 0;  ///< until the second one begins
  std::uint64_t cross = 0;  ///< until a thread sees that a step of the other lane has ended
};

/// The two lanes, and how long they take by the model.
///
/// A node goes to the lane where it ends first, in descending order of the longest way from its
/// beginning to the end of the graph (HEFT: H. Topcuoglu, S. Hariri, M. Wu, "Performance-effective
/// and low-complexity task scheduling for heterogeneous computing", 2002), where an edge to the
/// other lane takes `costs.cross`. Both lanes follow that order, so a thread that has both to itself
/// never waits.
class lane_schedule {
 public:
  /// `build` allocates nothing for graphs of so many nodes. Throws std::bad_alloc.
  void reserve(std::size_t nodes) {
    planned_.reserve(nodes);
    order_.reserve(nodes);
    for (std::vector<lane_step>& lane : lanes_) {
      lane.reserve(nodes);
    }
  }

  /// `bodies` and `times` by node. O(n log n + e).
  void build(const precedence& edges, std::span<const node_body> bodies,
             std::span<const std::uint64_t> times, const lane_costs& costs) noexcept {
    planned_.resize(edges.nodes());
    order_.assign(edges.order().begin(), edges.order().end());
    sort_by_way(edges, times);
    divide(edges, bodies, times, costs);
  }

  /// The same for what is left of a run: the first `ended` nodes of the order have ended. In haste: the
  /// others are taken in that order. O(n + e): 28 ns a node at the first time, where `build` takes 58
  /// (64 nodes, a wavefront; 2 CPUs of an EPYC 9005, KVM).
  void build_rest(const precedence& edges, std::span<const node_body> bodies,
                  std::span<const std::uint64_t> times, const lane_costs& costs,
                  std::size_t ended) noexcept {
    planned_.assign(edges.nodes(), {});
    const std::span<const std::uint32_t> rest = edges.order().subspan(ended);
    order_.assign(rest.begin(), rest.end());
    divide(edges, bodies, times, costs);
  }
  /// How much longer or shorter the nodes take than it was built for, all together.
  [[nodiscard]] std::uint64_t change_to(std::span<const std::uint64_t> times) const noexcept {
    std::uint64_t change = 0;
    for (std::size_t node = 0; node != times.size(); ++node) {
      const std::uint64_t took = planned_[node].takes;
      change += std::max(times[node], took) - std::min(times[node], took);
    }
    return change;
  }

  [[nodiscard]] const std::vector<lane_step>& lane(std::size_t which) const noexcept {
    return lanes_[which];
  }
  /// How long the nodes take, one after the other and in two lanes, in ticks.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t longest() const noexcept { return longest_; }
  /// How many steps wait for the other lane.
  [[nodiscard]] std::size_t crossings() const noexcept { return crossings_; }

 private:
  struct planned_node {
    std::uint64_t takes;
    std::uint64_t way_to_end;
    std::uint64_t end;
    std::uint32_t lane;
    std::uint32_t step;  // of the lane, from 1; 0: it has ended before
  };

  void sort_by_way(const precedence& edges, std::span<const std::uint64_t> times) noexcept {
    const std::span<const std::uint32_t> order = edges.order();
    for (std::size_t at = order.size(); at-- != 0;) {
      const std::uint32_t node = order[at];
      std::uint64_t longest = 0;
      for (const std::uint32_t after : edges.successors(node)) {
        longest = std::max(longest, planned_[after].way_to_end);
      }
      planned_[node].way_to_end = longest + times[node] + 1;  // a successor's way is always shorter
    }
    std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t of_a = planned_[a].way_to_end;
      const std::uint64_t of_b = planned_[b].way_to_end;
      return of_a != of_b ? of_a > of_b : a < b;
    });
  }

  // In the order of `order_`.
  void divide(const precedence& edges, std::span<const node_body> bodies,
              std::span<const std::uint64_t> times, const lane_costs& costs) noexcept {
    total_ = 0;
    crossings_ = 0;
    std::array<std::uint64_t, 2> free_at{0, costs.begin};
    for (std::vector<lane_step>& lane : lanes_) {
      lane.clear();
    }
    std::array<std::uint32_t, 2> waited_for{};
    for (const std::uint32_t node : order_) {
      std::array<std::uint64_t, 2> begins = free_at;
      for (const std::uint32_t before : edges.predecessors(node)) {
        for (std::size_t lane = 0; lane != 2; ++lane) {
          const bool crosses = planned_[before].lane != lane;
          begins[lane] = std::max(begins[lane], planned_[before].end + (crosses ? costs.cross : 0));
        }
      }
      const std::size_t lane = begins[1] < begins[0] ? 1 : 0;
      put(node, lane, edges, bodies[node], waited_for[lane]);
      free_at[lane] = planned_[node].end = begins[lane] + times[node];
      planned_[node].takes = times[node];
      total_ += times[node];
    }
    longest_ = lanes_[1].empty() ? free_at[0] : std::max(free_at[0], free_at[1] + costs.cross);
  }

  void put(std::uint32_t node, std::size_t lane, const precedence& edges, const node_body& body,
           std::uint32_t& waited_for) noexcept {
    std::uint32_t needs = 0;
    for (const std::uint32_t before : edges.predecessors(node)) {
      if (planned_[before].lane != lane) {
        needs = std::max(needs, planned_[before].step);
      }
    }
    if (needs <= waited_for) {
      needs = 0;  // an earlier step has waited for it
    } else {
      waited_for = needs;
      lanes_[1 - lane][needs - 1].is_awaited = true;
      ++crossings_;
    }
    lanes_[lane].push_back({body, node, needs, false});
    planned_[node].lane = static_cast<std::uint32_t>(lane);
    planned_[node].step = static_cast<std::uint32_t>(lanes_[lane].size());
  }

  std::array<std::vector<lane_step>, 2> lanes_;
  std::uint64_t total_ = 0;
  std::uint64_t longest_ = 0;
  std::size_t crossings_ = 0;
  std::vector<planned_node> planned_;  // by node
  std::vector<std::uint32_t> order_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
