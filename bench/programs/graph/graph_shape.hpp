// The graphs that are measured, as data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fg::bench {

/// A graph, or a part of one, that series and branches can express: what a fork_join can run.
struct graph_part {
  enum class kind : std::uint8_t {
    node,
    series,   ///< its parts, one after the other
    branches  ///< its parts, in any order
  };

  kind what = kind::node;
  double weight = 1;              ///< a node's
  std::uint32_t node = 0;         ///< its number
  std::vector<graph_part> parts;  ///< of a series or branches, at least one
};

/// A graph. Nodes are numbered in an order that the edges allow.
struct graph_shape {
  std::vector<std::vector<std::uint32_t>> predecessors;  ///< of each node
  std::vector<double> weights;       ///< how long each takes, in lengths of a node
  std::optional<graph_part> nested;  ///< the same as series and branches, if it can be
};

/// The names of all.
[[nodiscard]] std::vector<std::string> graph_shapes();

/// The graph of one of these names, the same in every process.
[[nodiscard]] graph_shape graph_shape_of(std::string_view name);

}  // namespace fg::bench
