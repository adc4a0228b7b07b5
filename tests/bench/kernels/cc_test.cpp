// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "kernels/cc/cc_check.hpp"
#include "kernels/cc/cc_kernel.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

std::vector<node_id> labels_of(csr_graph graph) {
  cc_kernel kernel(std::move(graph));
  kernel.run();
  kernel.run();  // The result of the first run must not matter.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return {kernel.labels().begin(), kernel.labels().end()};
}

TEST(cc, small_graphs) {
  EXPECT_EQ(labels_of(test::make_path(4)), (std::vector<node_id>{0, 0, 0, 0}));
  EXPECT_EQ(labels_of(test::make_star(4)), (std::vector<node_id>{0, 0, 0, 0}));
  EXPECT_EQ(labels_of(test::make_three_parts()), (std::vector<node_id>{0, 0, 0, 3, 3, 5}));
  EXPECT_EQ(labels_of(test::make_graph(3, {})), (std::vector<node_id>{0, 1, 2}));
}

// Labels fall along the path in an order that needs several rounds of hooking.
TEST(cc, a_path_in_a_bad_order) {
  std::vector<test::node_pair> edges;
  for (node_id i = 1; i < 64; ++i) {
    edges.emplace_back((i - 1) * 29 % 64, i * 29 % 64);
  }
  EXPECT_EQ(labels_of(test::make_graph(64, edges)), (std::vector<node_id>(64, 0)));
}

TEST(cc, random_graphs) {
  test::for_random_graphs([](const edge_list& list) { labels_of(csr_graph(list)); });
}

TEST(cc, check_sees_wrong_labels) {
  const csr_graph graph = test::make_three_parts();
  const auto is_right = [&graph](std::vector<node_id> labels) {
    return !check_cc(graph, labels).has_value();
  };
  EXPECT_TRUE(is_right({0, 0, 0, 3, 3, 5}));
  EXPECT_TRUE(is_right({2, 2, 2, 4, 4, 5}));
  EXPECT_FALSE(is_right({0, 0, 1, 3, 3, 5}));  // one part with two labels
  EXPECT_FALSE(is_right({0, 0, 0, 0, 0, 5}));  // two parts with one label
  EXPECT_FALSE(is_right({3, 3, 3, 0, 0, 5}));  // labels of other parts
  EXPECT_FALSE(is_right({6, 6, 6, 3, 3, 5}));  // no such node
  EXPECT_FALSE(is_right({0, 0, 0, 3, 3}));
}

}  // namespace
}  // namespace fg::bench
