// Runs a graph of series and branches by forks and joins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "programs/frame/program_errors.hpp"
#include "programs/graph/graph_nodes.hpp"
#include "programs/graph/timed_graphs.hpp"

namespace fg::bench {

template <class Fork>
void run_part(const graph_part& part, graph_nodes& nodes, const Fork& fork);

template <class Fork>
void run_branches(std::span<const graph_part> parts, graph_nodes& nodes, const Fork& fork) {
  if (parts.size() == 1) {
    run_part(parts.front(), nodes, fork);
    return;
  }
  const std::size_t half = parts.size() / 2;
  fork([&, half] { run_branches(parts.first(half), nodes, fork); },
       [&, half] { run_branches(parts.subspan(half), nodes, fork); });
}

template <class Fork>
void run_part(const graph_part& part, graph_nodes& nodes, const Fork& fork) {
  switch (part.what) {
    case graph_part::kind::node:
      nodes[part.node]();
      break;
    case graph_part::kind::series:
      for (const graph_part& each : part.parts) {
        run_part(each, nodes, fork);
      }
      break;
    case graph_part::kind::branches:
      run_branches(std::span{part.parts}, nodes, fork);
  }
}

/// Runs them by `fork(f, g)`, which returns when both have ended. Throws wrong_arguments for another
/// graph.
template <class Fork>
[[nodiscard]] graph_run forked(graph_nodes& nodes, const Fork& fork) {
  if (!nodes.shape().nested) {
    throw wrong_arguments("forks and joins cannot express this graph");
  }
  return [&nodes, fork] { run_part(*nodes.shape().nested, nodes, fork); };
}

}  // namespace fg::bench
