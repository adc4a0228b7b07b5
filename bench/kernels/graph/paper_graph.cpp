// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/paper_graph.hpp"

#include <random>
#include <stdexcept>

#include "kernels/graph/kronecker.hpp"
#include "kernels/graph/uniform.hpp"

namespace fg::bench {
namespace {

constexpr unsigned kPaperScale = 5;
constexpr unsigned kGapEdgesPerNode = 16;

}  // namespace

csr_graph make_paper_graph() { return csr_graph(make_kronecker(kPaperScale, kGapEdgesPerNode)); }

csr_graph make_weighted_paper_graph() {
  edge_list list = make_kronecker(kPaperScale, kGapEdgesPerNode);
  add_gap_weights(list);
  return csr_graph(list);
}

node_id pick_source(const csr_graph& graph) {
  if (graph.num_edges() == 0) {
    throw std::invalid_argument("pick_source: the graph has no edges");
  }
  std::mt19937_64 generator(kGapSeed);
  node_id source = draw_below(graph.num_nodes(), generator);
  while (graph.degree(source) == 0) {
    source = draw_below(graph.num_nodes(), generator);
  }
  return source;
}

}  // namespace fg::bench
