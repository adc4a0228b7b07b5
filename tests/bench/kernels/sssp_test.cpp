// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/graph/paper_graph.hpp"
#include "kernels/kernel.hpp"
#include "kernels/sssp/sssp_check.hpp"
#include "kernels/sssp/sssp_kernel.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

constexpr std::uint32_t kFar = sssp_kernel::kUnreached;

std::vector<std::uint32_t> distances_of(csr_graph graph, node_id source, std::uint32_t delta = 1) {
  sssp_kernel kernel(std::move(graph), source, delta);
  kernel.run();
  kernel.run();  // The buckets must be empty again.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return {kernel.distances().begin(), kernel.distances().end()};
}

TEST(sssp, small_graphs) {
  EXPECT_EQ(distances_of(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}}, {5, 1, 255}), 0),
            (std::vector<std::uint32_t>{0, 5, 6, 261}));
  EXPECT_EQ(distances_of(test::make_graph(3, {{0, 1}, {1, 2}, {0, 2}}, {3, 4, 8}), 0),
            (std::vector<std::uint32_t>{0, 3, 7}));
  EXPECT_EQ(distances_of(test::make_three_parts(), 0),
            (std::vector<std::uint32_t>{0, 3, 2, kFar, kFar, kFar}));
  EXPECT_EQ(distances_of(test::make_graph(2, {}), 1), (std::vector<std::uint32_t>{kFar, 0}));
}

std::uint32_t num_steps(csr_graph graph, std::uint32_t delta, node_id source = 0) {
  sssp_kernel kernel(std::move(graph), source, delta);
  kernel.run();
  kernel.run();  // Counted again from zero.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return kernel.num_steps();
}

/// With the default delta.
std::uint32_t num_steps(csr_graph graph) {
  sssp_kernel kernel(std::move(graph), 0);
  kernel.run();
  EXPECT_EQ(kernel.check(), std::nullopt);
  return kernel.num_steps();
}

// Zero weights put a node back into the bucket that is being emptied.
TEST(sssp, edges_without_weight) {
  EXPECT_EQ(distances_of(test::make_graph(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}, {0, 0, 1, 2}), 0),
            (std::vector<std::uint32_t>{0, 0, 0, 2}));
}

TEST(sssp, every_delta_on_random_graphs) {
  test::for_random_graphs([](const edge_list& list) {
    for (const std::uint32_t delta : {1U, 2U, 3U, 16U, 64U, 256U, 1U << 20}) {
      distances_of(csr_graph(list), list.num_nodes / 2, delta);
    }
  });
}

// With any greater delta some of these nodes share a bin, and so a step.
TEST(sssp, steps_with_a_delta_of_1) {
  EXPECT_EQ(num_steps(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}}, {3, 5, 7})), 4U);
  EXPECT_EQ(num_steps(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}}, {1, 1, 1})), 4U);
  EXPECT_EQ(num_steps(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}}, {3, 5, 7}), 4), 3U);
  EXPECT_EQ(num_steps(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}}, {1, 1, 1}), 2), 2U);
}

TEST(sssp, steps_with_a_delta_of_1_in_the_experiment) {
  const auto kernel = make_kernel("sssp");
  kernel->run();
  const csr_graph graph = make_weighted_paper_graph();
  const std::uint32_t expected = num_steps(make_weighted_paper_graph(), 1, pick_source(graph));
  EXPECT_GT(expected, num_steps(make_weighted_paper_graph(), 2, pick_source(graph)));
  EXPECT_EQ(dynamic_cast<const sssp_kernel&>(*kernel).num_steps(), expected);
}

// Node 1 is already queued at 3 when the path by 2 is found; its old entry stays and takes a step.
TEST(sssp, leaves_stale_entries_where_they_are) {
  EXPECT_EQ(num_steps(test::make_graph(3, {{0, 1}, {0, 2}, {1, 2}}, {3, 1, 1})), 4U);
}

// Edges of weight 0 refill the current bin, which continues in the same step unless it is large.
TEST(sssp, fuses_refills_below_the_limit) {
  const auto num_steps_of_star = [](node_id num_leaves) {
    edge_list star{.num_nodes = num_leaves + 1, .edges = {}, .weights = {}};
    for (node_id leaf = 1; leaf <= num_leaves; ++leaf) {
      star.edges.push_back({.from = 0, .to = leaf});
      star.weights.push_back(0);
    }
    return num_steps(csr_graph(star));
  };
  EXPECT_EQ(num_steps_of_star(999), 1U);
  EXPECT_EQ(num_steps_of_star(1000), 2U);
}

TEST(sssp, check_sees_wrong_distances) {
  const csr_graph graph = test::make_three_parts();
  const auto is_right = [&graph](std::vector<std::uint32_t> distances) {
    return !check_sssp(graph, 0, distances).has_value();
  };
  EXPECT_TRUE(is_right({0, 3, 2, kFar, kFar, kFar}));
  EXPECT_FALSE(is_right({0, 7, 2, kFar, kFar, kFar}));
  EXPECT_FALSE(is_right({0, 2, 2, kFar, kFar, kFar}));
  EXPECT_FALSE(is_right({1, 3, 2, kFar, kFar, kFar}));
  EXPECT_FALSE(is_right({0, 3, 2, 9, kFar, kFar}));
  EXPECT_FALSE(is_right({0, 3, 2, kFar, kFar}));
}

TEST(sssp, rejects_what_it_cannot_do) {
  EXPECT_THROW(sssp_kernel(test::make_three_parts(), 6), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_three_parts(), 0, 0), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_path(3), 0), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_graph(2, {{0, 1}}, {1U << 31}), 0), std::invalid_argument);
  // 2 nodes, and one bin more than half of 2^28 entries allow.
  EXPECT_THROW(sssp_kernel(test::make_graph(2, {{0, 1}}, {1U << 27}), 0), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_graph(2, {{0, 1}}, {1U << 27}), 0, 1U << 31),
               std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
