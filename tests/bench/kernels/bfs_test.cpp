// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/bfs/bfs_check.hpp"
#include "kernels/bfs/bfs_kernel.hpp"
#include "kernels/graph/paper_graph.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

std::vector<std::int32_t> parents_of(csr_graph graph, node_id source) {
  bfs_kernel kernel(std::move(graph), source);
  kernel.run();
  kernel.run();  // The result of the first run must not matter.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return {kernel.parents().begin(), kernel.parents().end()};
}

TEST(bfs, small_graphs) {
  EXPECT_EQ(parents_of(test::make_path(4), 1), (std::vector<std::int32_t>{1, 1, 1, 2}));
  EXPECT_EQ(parents_of(test::make_star(4), 2), (std::vector<std::int32_t>{2, 0, 2, 0}));
  EXPECT_EQ(parents_of(test::make_complete(3), 1), (std::vector<std::int32_t>{1, 1, 1}));
  EXPECT_EQ(parents_of(test::make_three_parts(), 4),
            (std::vector<std::int32_t>{-1, -1, -1, 4, 4, -1}));
  EXPECT_EQ(parents_of(test::make_three_parts(), 5),
            (std::vector<std::int32_t>{-1, -1, -1, -1, -1, 5}));
}

// Long enough for top-down, bottom-up and top-down again: a path, a dense part, a path.
TEST(bfs, changes_direction_and_back) {
  std::vector<test::node_pair> edges;
  for (node_id node = 1; node <= 40; ++node) {
    edges.emplace_back(node - 1, node);
  }
  for (node_id a = 40; a < 100; ++a) {
    for (node_id b = a + 1; b < 100; ++b) {
      edges.emplace_back(a, b);
    }
  }
  for (node_id node = 100; node < 200; ++node) {
    edges.emplace_back(node - 1, node);
  }
  for (const node_id source : {0U, 60U, 199U}) {
    parents_of(test::make_graph(200, edges), source);
  }
}

TEST(bfs, random_graphs_from_every_node) {
  test::for_random_graphs([](const edge_list& list) {
    for (node_id source = 0; source < list.num_nodes; ++source) {
      parents_of(csr_graph(list), source);
    }
  });
}

TEST(bfs, check_sees_wrong_parents) {
  const csr_graph graph = test::make_path(4);
  const auto is_right = [&graph](std::vector<std::int32_t> parents) {
    return !check_bfs(graph, 1, parents).has_value();
  };
  EXPECT_TRUE(is_right({1, 1, 1, 2}));
  EXPECT_FALSE(is_right({1, 0, 1, 2}));   // the source has another parent
  EXPECT_FALSE(is_right({1, 1, 1, 1}));   // no such edge
  EXPECT_FALSE(is_right({1, 1, 3, 2}));   // a parent farther away
  EXPECT_FALSE(is_right({1, 1, 1, -1}));  // a reached node left out
  EXPECT_FALSE(is_right({1, 1, 1, 4}));   // no such node
  EXPECT_FALSE(is_right({1, 1, 1}));
  EXPECT_TRUE(check_bfs(test::make_graph(2, {}), 0, std::vector<std::int32_t>{0, 0}).has_value());
}

TEST(bfs, rejects_a_source_that_is_no_node) {
  EXPECT_THROW(bfs_kernel(test::make_path(3), 3), std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
