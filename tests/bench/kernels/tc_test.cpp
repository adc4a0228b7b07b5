// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/tc/tc_check.hpp"
#include "kernels/tc/tc_kernel.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

std::uint64_t count_of(csr_graph graph) {
  tc_kernel kernel(std::move(graph));
  kernel.run();
  kernel.run();  // The result of the first run must not matter.
  EXPECT_EQ(kernel.check(), std::nullopt);
  return kernel.num_triangles();
}

TEST(tc, small_graphs) {
  EXPECT_EQ(count_of(test::make_path(5)), 0U);
  EXPECT_EQ(count_of(test::make_star(5)), 0U);
  EXPECT_EQ(count_of(test::make_complete(3)), 1U);
  EXPECT_EQ(count_of(test::make_complete(7)), 35U);
  EXPECT_EQ(count_of(test::make_three_parts()), 1U);
  EXPECT_EQ(count_of(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}})), 0U);
  EXPECT_EQ(count_of(test::make_graph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}})), 2U);
}

TEST(tc, random_graphs) {
  test::for_random_graphs([](const edge_list& list) { count_of(csr_graph(list)); });
}

TEST(tc, check_sees_a_wrong_number) {
  EXPECT_FALSE(check_tc(test::make_complete(5), 10).has_value());
  EXPECT_TRUE(check_tc(test::make_complete(5), 9).has_value());
  EXPECT_TRUE(check_tc(test::make_complete(5), 60).has_value());
}

}  // namespace
}  // namespace fg::bench
