#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/graph/paper_graph.hpp"
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

// Zero weights put a node back into the bucket that is being emptied.
TEST(sssp, edges_without_weight) {
  EXPECT_EQ(distances_of(test::make_graph(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}, {0, 0, 1, 2}), 0),
            (std::vector<std::uint32_t>{0, 0, 0, 2}));
}

TEST(sssp, every_delta_on_random_graphs) {
  test::for_random_graphs([](const edge_list& list) {
    for (const std::uint32_t delta : {1U, 2U, 16U, 64U, 256U, 1U << 20}) {
      distances_of(csr_graph(list), list.num_nodes / 2, delta);
    }
  });
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
  EXPECT_THROW(sssp_kernel(test::make_three_parts(), 0, 3), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_path(3), 0), std::invalid_argument);
  EXPECT_THROW(sssp_kernel(test::make_graph(2, {{0, 1}}, {1U << 31}), 0), std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
