// What is known about a graph, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "finegrain/core/clock.hpp"
#include "finegrain/graph/flattened_graph.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/precedence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// `a -> b -> a`, where `cycle` is a, b.
inline std::string path_of_cycle(const flattened_graph& nodes,
                                 const std::vector<std::uint32_t>& cycle) {
  constexpr std::size_t kMostNamed = 16;
  std::string path;
  for (std::size_t at = 0; at != cycle.size(); ++at) {
    if (at == kMostNamed) {
      path += "(" + std::to_string(cycle.size() - at) + " more) -> ";
      break;
    }
    path += nodes.name_of(cycle[at]) + " -> ";
  }
  return path + nodes.name_of(cycle.front());
}

/// Writes what `graph::explain` and `graph::dot` return.
class explained_graph {
 public:
  explained_graph(const flattened_graph& nodes, const precedence& edges, const node_times& times,
                  const lane_schedule& schedule, std::uint64_t cross_ticks)
      : nodes_{nodes},
        edges_{edges},
        times_{times},
        schedule_{schedule},
        cross_ticks_{cross_ticks},
        lane_of_(edges.nodes()) {
    for (std::uint32_t lane = 0; lane != 2; ++lane) {
      for (const lane_step& step : schedule.lane(lane)) {
        lane_of_[step.node] = lane;
      }
    }
  }

  /// `decision`: what is done with the graph; `in_lanes`: by two threads, if it is shared.
  [[nodiscard]] std::string text(const char* decision, bool in_lanes) const {
    std::string all = std::to_string(edges_.nodes()) + " nodes, " + std::to_string(edges_.edges()) +
                      " edges: " + decision + '\n';
    if (times_.are_known()) {
      all += "the nodes take " + ns(schedule_.total()) + " ns";
      if (in_lanes) {
        all += ", by the model " + ns(schedule_.longest()) + " ns in two lanes that wait " +
               std::to_string(schedule_.crossings()) + " times for each other, " +
               ns(cross_ticks_) + " ns each";
      }
      all += '\n';
    }
    if (!in_lanes) {
      for (const std::uint32_t node : edges_.order()) {
        all += "  " + name(node) + time(node) + '\n';
      }
      return all;
    }
    for (std::uint32_t lane = 0; lane != 2; ++lane) {
      all += "lane " + std::to_string(lane) + ":\n";
      for (const lane_step& step : schedule_.lane(lane)) {
        all += "  " + name(step.node) + time(step.node);
        if (step.needs != 0) {
          all += ", waits for " + name(schedule_.lane(1 - lane)[step.needs - 1].node);
        }
        all += '\n';
      }
    }
    return all;
  }

  [[nodiscard]] std::string dot(bool in_lanes) const {
    constexpr std::array<const char*, 2> kColours{"lightblue", "orange"};
    std::string all = "digraph {\n  node [shape=box, style=filled]\n";
    for (std::uint32_t node = 0; node != edges_.nodes(); ++node) {
      all += "  " + std::to_string(node) + " [label=\"" + quoted(name(node)) + time(node) +
             "\", fillcolor=" + kColours[in_lanes ? lane_of_[node] : 0] + "]\n";
    }
    for (std::uint32_t node = 0; node != edges_.nodes(); ++node) {
      for (const std::uint32_t after : edges_.successors(node)) {
        all += "  " + std::to_string(node) + " -> " + std::to_string(after) +
               (!in_lanes || lane_of_[node] == lane_of_[after] ? "\n" : " [style=dashed]\n");
      }
    }
    return all + "}\n";
  }

 private:
  [[nodiscard]] std::string name(std::uint32_t node) const { return nodes_.name_of(node); }
  // Nothing if it is not known.
  [[nodiscard]] std::string time(std::uint32_t node) const {
    if (!times_.are_known()) {
      return {};
    }
    return times_.has_run(node) ? ", " + ns(times_.all()[node]) + " ns" : ", not run yet";
  }
  static std::string ns(std::uint64_t ticks) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.0f", to_ns(ticks));
    return digits.data();
  }
  static std::string quoted(const std::string& text) {
    std::string all;
    for (const char letter : text) {
      all += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
    }
    return all;
  }

  const flattened_graph& nodes_;
  const precedence& edges_;
  const node_times& times_;
  const lane_schedule& schedule_;
  std::uint64_t cross_ticks_;           // what a crossing takes by the model
  std::vector<std::uint32_t> lane_of_;  // by node
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
