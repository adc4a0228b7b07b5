// Graphs whose nodes read what their predecessors have written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/scenario.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/precedence.hpp"

/// A node counts its runs in plain memory, and requires that its predecessors have run as often: if
/// the threads do not order them, that is a race.
class small_graph {
 public:
  small_graph(const std::vector<std::uint64_t>& takes,
              const std::vector<fg::detail::graph_edge>& all)
      : times{takes.size()} {
    edges.rebuild(takes.size(), all);
    schedule.reserve(takes.size());
    nodes_.resize(takes.size());
    for (std::uint32_t node = 0; node != takes.size(); ++node) {
      nodes_[node] = {this, node, 0};
      bodies.push_back({[](void* self, fg::detail::graph_run&) {
                          static_cast<node_state*>(self)->run();
                          return true;
                        },
                        &nodes_[node]});
    }
    schedule.build(edges, bodies, takes, {1, 1});
    takes_ = takes;
  }
  small_graph(const small_graph&) = delete;
  small_graph& operator=(const small_graph&) = delete;

  /// Runs the first `ended` nodes, and makes lanes for the others. Requires: the order of the edges is
  /// that of the numbers.
  void begin_here(std::size_t ended) {
    for (std::size_t node = 0; node != ended; ++node) {
      bodies[node].call(bodies[node].closure, run);
    }
    schedule.build_rest(edges, bodies, takes_, {1, 1}, ended);
  }

  [[nodiscard]] int runs_of(std::size_t node) const { return nodes_[node].runs; }
  void require_all_ran(int runs) const {
    for (const node_state& each : nodes_) {
      model::require(each.runs == runs, "each node runs once a run");
    }
  }

  std::uint32_t throws = ~0U;  ///< this node throws
  fg::detail::precedence edges;
  std::vector<fg::detail::node_body> bodies;
  fg::detail::early_end end;
  fg::detail::graph_run run{.end = end};
  fg::detail::node_times times;
  fg::detail::lane_schedule schedule;

 private:
  struct node_state {
    small_graph* graph;
    std::uint32_t index;
    int runs;

    void run() {
      ++runs;
      for (const std::uint32_t before : graph->edges.predecessors(index)) {
        model::require(graph->nodes_[before].runs == runs, "what precedes it has run");
      }
      if (index == graph->throws) {
        throw 1;
      }
    }
  };
  std::vector<node_state> nodes_;
  std::vector<std::uint64_t> takes_;
};
