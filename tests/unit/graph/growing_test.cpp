// Nodes that add nodes while they run, and graphs with a reserve.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/graph/graph.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

TEST(growing, nodes_run_what_they_add_in_each_run) {
  const auto test = [](auto& executor) {
    std::size_t width = 0;
    std::vector<int> levels(16);
    int sum = -1;
    fg::graph graph;
    const auto count = graph.add([&] { width = (width + 5) % 16; });
    const auto fan = graph.add_growing(
        "fan",
        [&](fg::graph& more) {
          const auto last =
              more.add([&] { sum = std::accumulate(levels.begin(), levels.end(), 0); });
          for (std::size_t at = 0; at != width; ++at) {
            more.add([&, at] { levels[at] = 1; }).precede(last);
          }
        },
        17, 16, 2000);
    count.precede(fan);
    fan.precede(graph.add([&] { levels.assign(16, 0); }));
    for (int runs = 0; runs != 100; ++runs) {
      graph.run(executor);
      ASSERT_EQ(sum, static_cast<int>(width)) << runs;
    }
  };
  fg::relic relic;
  test(relic);
  for (const std::size_t workers : {1U, 2U, 3U}) {
    fg::pool pool{fg::test::workers(workers)};
    test(pool);
  }
}

TEST(growing, beyond_the_reserve_is_an_error) {
  std::size_t more_nodes = 3;
  std::size_t more_edges = 2;
  int calls = 0;
  fg::graph graph;
  graph.add_growing(
      "grow",
      [&](fg::graph& more) {
        std::vector<fg::graph::node> added;
        for (std::size_t node = 0; node != more_nodes; ++node) {
          added.push_back(more.add([&] { ++calls; }));
        }
        for (std::size_t edge = 0; edge != more_edges; ++edge) {
          added[edge].precede(added[edge + 1]);
        }
      },
      3, 2, 100);
  graph.run();
  EXPECT_EQ(calls, 3);
  more_nodes = 4;
  try {
    graph.run();
    FAIL();
  } catch (const std::length_error& error) {
    EXPECT_STREQ(error.what(), "graph: only 3 nodes are reserved");
  }
  EXPECT_EQ(calls, 3);
  more_nodes = 3;
  graph.run();
  EXPECT_EQ(calls, 6);
}

TEST(reserve, is_all_that_can_be_added) {
  fg::graph graph;
  graph.reserve(3, 1, 64);
  const auto one = graph.add([] {});
  const auto two = graph.add("two", [] {});
  one.precede(two);
  EXPECT_THROW(one.precede(two), std::length_error);
  EXPECT_THROW(graph.add(std::string(100, 'n'), [] {}), std::length_error);
  EXPECT_EQ(graph.size(), 2U);
  graph.add([] {});
  EXPECT_THROW(graph.add([] {}), std::length_error);
  graph.run();
  graph.clear();
  for (int node = 0; node != 3; ++node) {
    graph.add([] {});
  }
  EXPECT_THROW(graph.add([] {}), std::length_error);
  graph.run();
}

// A closure that cannot be copied.
struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied& /*other*/) { throw std::runtime_error{"no copy"}; }
  throws_when_copied& operator=(const throws_when_copied&) = delete;
  void operator()() const {}
};

TEST(reserve, after_an_addition_that_has_failed) {
  fg::graph graph;
  const throws_when_copied throws;
  EXPECT_THROW(graph.add("a name", throws), std::runtime_error);
  graph.reserve(2, 0, 600);
  int calls = 0;
  const std::string name(550, 'n');
  graph.add([&calls] { ++calls; });
  EXPECT_EQ(graph.add(name, [&calls] { ++calls; }).name(), name);
  graph.run();
  EXPECT_EQ(calls, 2);
}

TEST(reserve, of_nothing) {
  fg::graph graph;
  graph.reserve(0, 0, 0);
  EXPECT_THROW(graph.add([] {}), std::length_error);
  graph.run();
}

}  // namespace
