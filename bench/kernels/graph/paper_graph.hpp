// The input of the Relic paper's six graph kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/graph/csr_graph.hpp"

namespace fg::bench {

/// The paper's graph, in new storage: a Kronecker graph of 2^5 nodes and GAP's default of 16 edges
/// per node, which leave 32 nodes and 157 undirected edges without loops and repetitions (the
/// paper's "degree of 4" is 157 / 32, as GAP prints it).
[[nodiscard]] csr_graph make_paper_graph();

/// The same graph with GAP's weights, for sssp.
[[nodiscard]] csr_graph make_weighted_paper_graph();

/// The node from which bc, bfs and sssp start: the first that GAP's source picker would choose, a
/// random node with neighbours. (Equal to GAP's where the number of nodes is a power of two.)
/// Throws std::invalid_argument for a graph without edges.
[[nodiscard]] node_id pick_source(const csr_graph& graph);

}  // namespace fg::bench
