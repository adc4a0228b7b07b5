// SPDX-License-Identifier: Apache-2.0
#include "kernels/sssp/distance_bins.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fg::bench {
namespace {

std::vector<node_id> moved_out_of(distance_bins& bins, std::size_t bin) {
  std::vector<node_id> copy(3);
  const auto nodes = bins.move_out(bin, copy);
  return {nodes.begin(), nodes.end()};
}

TEST(distance_bins, keep_nodes_apart_and_in_order) {
  distance_bins bins(4, 3);
  for (const node_id node : {7U, 5U, 7U}) {
    bins.push(1, node);
    bins.push(2, node + 1);
  }
  bins.push(3, 9);
  EXPECT_EQ(bins.size(0), 0U);
  EXPECT_EQ(bins.size(1), 3U);
  EXPECT_EQ(moved_out_of(bins, 1), (std::vector<node_id>{7, 5, 7}));
  EXPECT_EQ(bins.size(1), 0U);
  bins.push(1, 4);
  EXPECT_EQ(moved_out_of(bins, 1), (std::vector<node_id>{4}));
  EXPECT_EQ(moved_out_of(bins, 2), (std::vector<node_id>{8, 6, 8}));
  EXPECT_EQ(moved_out_of(bins, 3), (std::vector<node_id>{9}));
  EXPECT_EQ(moved_out_of(bins, 3), std::vector<node_id>());
}

TEST(distance_bins, find_the_next_that_is_filled) {
  distance_bins bins(100, 1);
  EXPECT_EQ(bins.size(bins.find_filled(0)), 0U);
  bins.push(2, 0);
  bins.push(5, 0);
  EXPECT_EQ(bins.find_filled(0), 2U);
  EXPECT_EQ(bins.find_filled(2), 2U);
  EXPECT_EQ(bins.find_filled(3), 5U);
  EXPECT_EQ(bins.size(bins.find_filled(6)), 0U);
  EXPECT_EQ(bins.find_filled(6), 6U) << "looked at bins out of use";
  EXPECT_EQ(moved_out_of(bins, 99), std::vector<node_id>());
}

TEST(distance_bins, reset_takes_them_out_of_use) {
  distance_bins bins(100, 1);
  bins.push(50, 0);
  EXPECT_EQ(moved_out_of(bins, 50).size(), 1U);
  EXPECT_EQ(bins.find_filled(0), 51U);
  bins.reset();
  EXPECT_EQ(bins.find_filled(0), 0U);
}

}  // namespace
}  // namespace fg::bench
