// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/bc/bc_check.hpp"
#include "kernels/bc/bc_kernel.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

std::vector<float> scores_of(csr_graph graph, node_id source) {
  bc_kernel kernel(std::move(graph), source);
  kernel.run();
  kernel.run();  // The result of the first run must not matter.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return {kernel.scores().begin(), kernel.scores().end()};
}

TEST(bc, small_graphs) {
  EXPECT_EQ(scores_of(test::make_path(5), 0), (std::vector<float>{1, .75F, .5F, .25F, 0}));
  EXPECT_EQ(scores_of(test::make_star(5), 1), (std::vector<float>{.75F, 1, 0, 0, 0}));
  EXPECT_EQ(scores_of(test::make_complete(3), 1), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(scores_of(test::make_three_parts(), 3), (std::vector<float>{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(scores_of(test::make_three_parts(), 5), (std::vector<float>(6, 0)));
}

// 0 reaches 3 by 1 and by 2, and 4 by 3: each of 1 and 2 carries half of two targets.
TEST(bc, splits_among_equal_paths) {
  EXPECT_EQ(scores_of(test::make_graph(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}), 0),
            (std::vector<float>{1, .25F, .25F, .25F, 0}));
}

TEST(bc, random_graphs_from_every_node) {
  test::for_random_graphs([](const edge_list& list) {
    for (node_id source = 0; source < list.num_nodes; source += 3) {
      scores_of(csr_graph(list), source);
    }
  });
}

TEST(bc, check_sees_wrong_scores) {
  const csr_graph graph = test::make_path(5);
  const auto is_right = [&graph](std::vector<float> scores) {
    return !check_bc(graph, 0, scores).has_value();
  };
  EXPECT_TRUE(is_right({1, .75F, .5F, .25F, 0}));
  EXPECT_FALSE(is_right({1, .75F, .5F, .25F, .0001F}));
  EXPECT_FALSE(is_right({0, .75F, .5F, .25F, 0}));
  EXPECT_FALSE(is_right({1, .75F, .5F, std::numeric_limits<float>::quiet_NaN(), 0}));
  EXPECT_FALSE(is_right({4, 3, 2, 1, 0}));
  EXPECT_FALSE(is_right({1, .75F, .5F, .25F}));
}

TEST(bc, rejects_a_source_that_is_no_node) {
  EXPECT_THROW(bc_kernel(test::make_path(3), 3), std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
