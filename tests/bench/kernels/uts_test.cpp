// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/uts/sample_trees.hpp"
#include "kernels/uts/search.hpp"
#include "kernels/uts/splittable_random.hpp"
#include "kernels/uts/tree.hpp"

namespace fg::bench::uts {

// How GoogleTest prints a wrong count.
static std::ostream& operator<<(std::ostream& out, const count& shown) {
  return out << shown.nodes << " nodes, " << shown.leaves << " leaves, depth " << shown.depth;
}

namespace {

/// T1 down to depth 5.
tree_spec small_tree(std::uint32_t granularity = 1) {
  return {.shape = geometric_fixed(4.0, 5), .root_seed = 19, .granularity = granularity};
}

node node_with_value(std::uint32_t value, std::uint32_t depth) {
  return {.state = {{0, 0, 0, 0, value}}, .depth = depth};
}

// The digests are those of Python's hashlib.
TEST(uts_random, states_are_digests_of_big_endian_words) {
  EXPECT_EQ(seeded_state(0x01020304),
            (random_state{{0x48ccff3f, 0x96b600c2, 0x4e2b568f, 0x595f85df, 0x2a2fa794}}));
  const random_state root_of_t1 = seeded_state(19);
  EXPECT_EQ(root_of_t1,
            (random_state{{0xc6988ab7, 0x0cc9559a, 0xe4d6cba2, 0x54e29a84, 0x5a85f86b}}));
  EXPECT_EQ(split_state(root_of_t1, 0),
            (random_state{{0x2fb31310, 0x30280c16, 0x17a81d6a, 0x49c1e29e, 0xffb19645}}));
  EXPECT_EQ(split_state(root_of_t1, 0x01020304),
            (random_state{{0x58aa22ab, 0xe3862e10, 0xe647dacf, 0xd80d45b2, 0x39fa6ab2}}));
}

TEST(uts_random, value_is_the_last_31_bits) {
  EXPECT_EQ(to_probability({{1, 2, 3, 4, 0x80000000}}), 0.0);
  EXPECT_EQ(to_probability({{0, 0, 0, 0, 0x40000000}}), 0.5);
  EXPECT_EQ(to_probability({{0, 0, 0, 0, 0xFFFFFFFF}}), 1.0 - 0x1p-31);
}

TEST(uts_geometric, has_at_most_100_children_and_none_from_the_limit_on) {
  constexpr std::uint32_t kLargest = 0x7FFFFFFF;
  const geometric_fixed wide(50.0, 3);
  EXPECT_EQ(wide.children(node_with_value(kLargest, 2)), 100U);
  EXPECT_EQ(wide.children(node_with_value(kLargest, 3)), 0U);
  // log(1/2) / log(50/51) is 35.002.
  EXPECT_EQ(wide.children(node_with_value(0x40000000, 0)), 35U);
  EXPECT_EQ(wide.children(node_with_value(0, 0)), 0U);
}

TEST(uts_binomial, has_all_children_or_none_below_the_root) {
  const binomial half{.root_children = 7, .inner_chance = 0.5, .inner_children = 3};
  EXPECT_EQ(half.children(node_with_value(0x7FFFFFFF, 0)), 7U);
  EXPECT_EQ(half.children(node_with_value(0x3FFFFFFF, 1)), 3U);
  EXPECT_EQ(half.children(node_with_value(0x40000000, 1)), 0U);
}

class sample_size : public testing::TestWithParam<std::string_view> {};

// T3L takes 6 s and is left to the lab.
TEST_P(sample_size, is_the_published_one) {
  const sample_tree& sample = find_sample_tree(GetParam());
  EXPECT_EQ(search(sample.tree, root(sample.tree)), sample.published);
}

INSTANTIATE_TEST_SUITE_P(uts, sample_size, testing::Values("T1", "T3"),
                         [](const auto& name) { return std::string(name.param); });

TEST(uts_samples, other_names_are_refused) {
  EXPECT_EQ(find_sample_tree("T3L").published.nodes, 111'345'631U);
  for (const std::string_view name : {"", "T2", "t1", "T1 "}) {
    EXPECT_THROW(static_cast<void>(find_sample_tree(name)), std::invalid_argument) << name;
  }
}

TEST(uts_search, parts_add_up_to_the_whole) {
  const tree_spec tree = small_tree();
  const node top = root(tree);
  count total{.nodes = 1, .leaves = 0, .depth = 0};
  for (std::uint32_t index = 0; index < children(tree, top); ++index) {
    total += search(tree, child(tree, top, index));
  }
  EXPECT_EQ(total.depth, 5U);
  EXPECT_GT(total.leaves, 1000U);
  EXPECT_EQ(total, search(tree, top));
}

TEST(uts_search, a_leaf_is_one_node_at_its_depth) {
  const node leaf = node_with_value(0, 4);
  EXPECT_EQ(search(small_tree(), leaf), (count{.nodes = 1, .leaves = 1, .depth = 4}));
}

TEST(uts_count, keeps_the_greater_depth) {
  count total{.nodes = 1, .leaves = 2, .depth = 3};
  total += {.nodes = 10, .leaves = 20, .depth = 2};
  EXPECT_EQ(total, (count{.nodes = 11, .leaves = 22, .depth = 3}));
  total += {.nodes = 0, .leaves = 0, .depth = 9};
  EXPECT_EQ(total.depth, 9U);
}

TEST(uts_granularity, leaves_the_tree_as_it_is) {
  const count once = search(small_tree(), root(small_tree()));
  for (const std::uint32_t granularity : {2U, 10U}) {
    const tree_spec tree = small_tree(granularity);
    EXPECT_EQ(child(tree, root(tree), 3), child(small_tree(), root(tree), 3));
    EXPECT_EQ(search(tree, root(tree)), once);
  }
}

TEST(uts_granularity, multiplies_the_work) {
  const auto fastest_ns = [](std::uint32_t granularity) {
    const tree_spec tree = small_tree(granularity);
    const node top = root(tree);
    double fastest = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch < 20; ++batch) {
      const auto start = std::chrono::steady_clock::now();
      static_cast<void>(search(tree, top));
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - start;
      fastest = std::min(fastest, elapsed.count());
    }
    return fastest;
  };
  // About 9 times as long; a wide range, for a noisy host.
  const double once = fastest_ns(1);
  const double ten_times = fastest_ns(10);
  EXPECT_GT(ten_times, 4 * once);
  EXPECT_LT(ten_times, 20 * once);
}

}  // namespace
}  // namespace fg::bench::uts
