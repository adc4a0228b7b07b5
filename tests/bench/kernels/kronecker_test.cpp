// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/kronecker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "kernels/graph/csr_graph.hpp"
#include "kernels/graph/paper_graph.hpp"
#include "kernels/graph/uniform.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

TEST(paper_graph, has_the_papers_size) {
  const csr_graph graph = make_paper_graph();
  EXPECT_EQ(graph.num_nodes(), 32U);
  EXPECT_EQ(graph.num_edges(), 157U);
}

TEST(paper_graph, has_the_degree_at_which_gap_does_not_relabel) {
  const csr_graph graph = make_paper_graph();
  EXPECT_EQ(graph.num_edges() / graph.num_nodes(), 4U);
}

TEST(paper_graph, has_the_same_edges_with_weights) {
  const csr_graph plain = make_paper_graph();
  const csr_graph weighted = make_weighted_paper_graph();
  EXPECT_FALSE(plain.has_weights());
  ASSERT_TRUE(weighted.has_weights());
  for (node_id node = 0; node < plain.num_nodes(); ++node) {
    EXPECT_TRUE(std::ranges::equal(plain.neighbors(node), weighted.neighbors(node)));
  }
}

TEST(paper_graph, source_has_neighbors) {
  const csr_graph graph = make_paper_graph();
  EXPECT_GT(graph.degree(pick_source(graph)), 0U);
  for (node_id joined = 1; joined < 8; ++joined) {
    const csr_graph pair = test::make_graph(8, {{0, joined}});
    EXPECT_EQ(pair.degree(pick_source(pair)), 1U);
  }
  EXPECT_THROW(static_cast<void>(pick_source(test::make_graph(3, {}))), std::invalid_argument);
}

// The number that the GAP Benchmark Suite's own tests expect of its generator.
TEST(kronecker, scale_10_has_gaps_reference_size) {
  const csr_graph graph(make_kronecker(10, 16));
  EXPECT_EQ(graph.num_nodes(), 1024U);
  EXPECT_EQ(graph.num_edges(), 10496U);
}

TEST(kronecker, permutes_the_ids) {
  // The walk gives node 0 by far the most edges; after the permutation another node has them.
  const csr_graph graph(make_kronecker(10, 16));
  node_id busiest = 0;
  for (node_id node = 1; node < graph.num_nodes(); ++node) {
    busiest = graph.degree(node) > graph.degree(busiest) ? node : busiest;
  }
  EXPECT_NE(busiest, 0U);
}

TEST(kronecker, rejects_more_edges_than_one_block) {
  EXPECT_THROW(static_cast<void>(make_kronecker(15, 16)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_kronecker(40, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_kronecker(5, 0)), std::invalid_argument);
  EXPECT_EQ(make_kronecker(14, 16).edges.size(), std::size_t{1} << 18);
}

TEST(gap_weights, lie_between_1_and_255_and_reach_both) {
  edge_list list = make_kronecker(12, 16);
  add_gap_weights(list);
  ASSERT_EQ(list.weights.size(), list.edges.size());
  const auto [low, high] = std::ranges::minmax_element(list.weights);
  EXPECT_EQ(*low, 1U);
  EXPECT_EQ(*high, 255U);
}

/// Returns given draws.
struct fixed_draws {
  std::vector<std::uint64_t> draws;
  std::size_t next = 0;
  std::uint64_t operator()() { return draws.at(next++); }
};

TEST(draw_below, rejects_the_surplus_and_keeps_the_low_bits) {
  // 2^32 = 10 * 429496729 + 6, so the six largest draws are rejected.
  fixed_draws draws{.draws = {0xFFFFFFFFU, 0xFFFFFFFAU, 0xFFFFFFF9U, 13, 0x500000007U}};
  EXPECT_EQ(draw_below(10, draws), 9U);
  EXPECT_EQ(draws.next, 3U);
  EXPECT_EQ(draw_below(10, draws), 3U);
  EXPECT_EQ(draw_below(10, draws), 7U);
  fixed_draws largest{.draws = {0xFFFFFFFFU}};
  EXPECT_EQ(draw_below(32, largest), 31U);
}

}  // namespace
}  // namespace fg::bench
