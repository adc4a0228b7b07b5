// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/csr_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "test_graphs.hpp"

namespace fg::bench {
namespace {

template <typename T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST(csr_graph, drops_loops_and_repetitions_and_sorts) {
  const csr_graph graph = test::make_graph(4, {{2, 0}, {0, 2}, {1, 1}, {2, 1}, {2, 0}});
  EXPECT_EQ(graph.num_nodes(), 4U);
  EXPECT_EQ(graph.num_edges(), 2U);
  EXPECT_EQ(graph.num_directed_edges(), 4U);
  EXPECT_EQ(copy(graph.neighbors(0)), (std::vector<node_id>{2}));
  EXPECT_EQ(copy(graph.neighbors(1)), (std::vector<node_id>{2}));
  EXPECT_EQ(copy(graph.neighbors(2)), (std::vector<node_id>{0, 1}));
  EXPECT_EQ(graph.degree(3), 0U);
  EXPECT_EQ(graph.first_edge(0), 0U);
  EXPECT_EQ(graph.first_edge(1), 1U);
  EXPECT_EQ(graph.first_edge(2), 2U);
  EXPECT_FALSE(graph.has_weights());
}

TEST(csr_graph, keeps_the_lightest_of_repeated_edges_in_both_directions) {
  const csr_graph graph =
      test::make_graph(3, {{0, 1}, {1, 0}, {1, 2}, {0, 1}, {1, 1}}, {30, 10, 50, 20, 99});
  EXPECT_EQ(copy(graph.weights(0)), (std::vector<edge_weight>{10}));
  EXPECT_EQ(copy(graph.weights(1)), (std::vector<edge_weight>{10, 50}));
  EXPECT_EQ(copy(graph.weights(2)), (std::vector<edge_weight>{50}));
  EXPECT_EQ(graph.max_weight(), 50U);
}

TEST(csr_graph, is_symmetric_sorted_and_free_of_loops) {
  test::for_random_graphs([](const edge_list& list) {
    const csr_graph graph(list);
    for (node_id node = 0; node < graph.num_nodes(); ++node) {
      const auto neighbors = graph.neighbors(node);
      EXPECT_TRUE(std::ranges::is_sorted(neighbors, std::less_equal<>{}));
      for (std::size_t i = 0; i < neighbors.size(); ++i) {
        EXPECT_NE(neighbors[i], node);
        const auto back = graph.neighbors(neighbors[i]);
        const auto found = std::ranges::find(back, node);
        ASSERT_NE(found, back.end());
        EXPECT_EQ(graph.weights(neighbors[i])[static_cast<std::size_t>(found - back.begin())],
                  graph.weights(node)[i]);
      }
    }
  });
}

TEST(csr_graph, rejects_what_is_no_graph) {
  EXPECT_THROW(test::make_graph(0, {}), std::invalid_argument);
  EXPECT_THROW(test::make_graph(2, {{0, 2}}), std::invalid_argument);
  EXPECT_THROW(test::make_graph(2, {{2, 0}}), std::invalid_argument);
  EXPECT_THROW(test::make_graph(2, {{0, 1}, {1, 0}}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
