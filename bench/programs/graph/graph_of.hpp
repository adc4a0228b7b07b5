// The graph of some nodes as finegrain's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "finegrain/graph/graph.hpp"
#include "programs/graph/graph_nodes.hpp"

namespace fg::bench {

/// Builds it, with all that can be done before its first run.
inline std::shared_ptr<fg::graph> graph_of(graph_nodes& nodes) {
  auto graph = std::make_shared<fg::graph>();
  std::vector<fg::graph::node> handles;
  handles.reserve(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    handles.push_back(graph->add([&node = nodes[at]] { node(); }));
    for (const std::uint32_t before : nodes.shape().predecessors[at]) {
      handles[before].precede(handles[at]);
    }
  }
  graph->prepare();
  return graph;
}

}  // namespace fg::bench
