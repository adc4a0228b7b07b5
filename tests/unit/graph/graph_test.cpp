// Graphs on every executor: order, exceptions, stops, changes, what they say of themselves.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/graph/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/relic.hpp"
#include "unit/graph/random_graph.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::random_graph;

// Calls `run(graph)` for each way to run one.
void on_each_executor(const std::function<void(const std::function<void(fg::graph&)>&)>& test) {
  fg::relic relic;
  test([&](fg::graph& graph) { graph.run(relic); });
  for (const std::size_t workers : {1U, 2U, 3U}) {
    fg::pool pool{fg::test::workers(workers)};
    test([&](fg::graph& graph) { graph.run(pool); });
    test([&](fg::graph& graph) { pool.run([&] { graph.run(pool); }); });
  }
  test([](fg::graph& graph) { graph.run(); });
}

// So long that runs are soon shared.
void work(std::chrono::microseconds time = std::chrono::microseconds{30}) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(graph, runs_each_node_once_in_order) {
  on_each_executor([](const auto& run) {
    fg::graph graph;
    std::vector<int> at(4);
    int time = 0;
    const auto first = graph.add([&] { at[0] = ++time; });
    const auto left = graph.add([&] { at[1] = at[0] + 10; });
    const auto right = graph.add([&] { at[2] = at[0] + 20; });
    const auto last = graph.add([&] { at[3] = at[1] + at[2]; });
    first.precede(left, right);
    last.succeed(left, right);
    for (int runs = 1; runs <= 200; ++runs) {
      run(graph);
      EXPECT_EQ(at, (std::vector{runs, runs + 10, runs + 20, 2 * runs + 30}));
    }
  });
}

TEST(graph, without_nodes_or_edges) {
  on_each_executor([](const auto& run) {
    fg::graph graph;
    run(graph);
    int calls = 0;
    graph.add([&calls] { ++calls; });
    run(graph);
    run(graph);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(graph.size(), 1U);
  });
}

TEST(graph, serial_runs_follow_the_order_of_addition_where_they_may) {
  fg::graph graph;
  std::string said;
  std::vector<fg::graph::node> nodes;
  for (const char letter : std::string{"abcde"}) {
    nodes.push_back(graph.add([&said, letter] { said += letter; }));
  }
  nodes[3].precede(nodes[1]);
  nodes[3].precede(nodes[1]);  // counts once
  graph.run();
  EXPECT_EQ(said, "acdbe");
}

TEST(graph, random_graphs_compute_what_serial_code_does) {
  on_each_executor([](const auto& run) {
    for (std::uint32_t seed = 0; seed != 20; ++seed) {
      random_graph made{seed};
      for (int runs = 0; runs != 10; ++runs) {
        run(made.graph());
        ASSERT_EQ(made.wrong(), "") << "seed " << seed << ", run " << runs;
      }
    }
  });
}

TEST(graph, an_exception_drops_what_has_not_begun_and_is_rethrown) {
  on_each_executor([](const auto& run) {
    fg::graph graph;
    bool fails = true;
    int later = 0;
    std::vector<fg::graph::node> nodes;
    for (int node = 0; node != 6; ++node) {
      nodes.push_back(graph.add([&fails, node] {
        work();
        if (fails && node == 3) {
          throw std::runtime_error{"three"};
        }
      }));
    }
    const auto last = graph.add([&later] { ++later; });
    for (const auto& node : nodes) {
      node.precede(last);
    }
    for (int runs = 0; runs != 20; ++runs) {
      fails = true;
      try {
        run(graph);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "three");
      }
      EXPECT_EQ(later, runs);
      fails = false;
      run(graph);
      EXPECT_EQ(later, runs + 1);
    }
  });
}

TEST(graph, a_stop_drops_what_has_not_begun) {
  fg::relic relic;
  fg::pool two{fg::test::workers(2)};
  fg::pool three{fg::test::workers(3)};
  const auto on = [](auto& executor) {
    fg::graph graph;
    fg::stop_source source;
    bool stops = false;
    int later = 0;
    const auto first = graph.add([&] {
      work();
      if (stops) {
        source.request_stop();
      }
    });
    const auto beside = graph.add([] { work(); });
    const auto last = graph.add([&later] { ++later; });
    last.succeed(first, beside);
    for (int runs = 0; runs != 20; ++runs) {
      source = {};
      stops = true;
      EXPECT_FALSE(graph.run(executor, source.get_token()));
      EXPECT_EQ(later, 2 * runs);
      EXPECT_FALSE(graph.run(executor, source.get_token()));  // before it begins
      EXPECT_EQ(later, 2 * runs);
      stops = false;
      source = {};
      EXPECT_TRUE(graph.run(executor, source.get_token()));
      graph.run(executor);
      EXPECT_EQ(later, 2 * runs + 2);
    }
  };
  on(relic);
  on(two);
  on(three);
}

TEST(graph, a_cycle_is_an_error_that_names_it) {
  fg::graph graph;
  int calls = 0;
  const auto before = graph.add("before", [&] { ++calls; });
  const auto a = graph.add("a", [] {});
  const auto unnamed = graph.add([] {});
  const auto b = graph.add("b\n", [] {});
  const auto after = graph.add("after", [] {});
  before.precede(a);
  a.precede(unnamed);
  unnamed.precede(b);
  b.precede(a, after);
  fg::relic relic;
  for (int runs = 0; runs != 2; ++runs) {
    try {
      graph.run(relic);
      ADD_FAILURE() << "it ran";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "graph: these nodes wait for each other: a -> #2 -> b? -> a");
    }
  }
  EXPECT_EQ(calls, 0);
}

TEST(graph, names_the_first_nodes_of_a_long_cycle) {
  fg::graph graph;
  std::vector<fg::graph::node> nodes;
  for (int node = 0; node != 100; ++node) {
    nodes.push_back(graph.add([] {}));
    if (node != 0) {
      nodes[static_cast<std::size_t>(node) - 1].precede(nodes.back());
    }
  }
  nodes.back().precede(nodes.front());
  try {
    graph.run();
    ADD_FAILURE() << "it ran";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string{error.what()}.find("(84 more) -> #"), std::string::npos) << error.what();
  }
}

TEST(graph, can_be_changed_between_runs) {
  on_each_executor([](const auto& run) {
    fg::graph graph;
    std::vector<int> values;
    const auto first = graph.add([&values] { values = {1}; });
    run(graph);
    const auto second = graph.add([&values] { values.push_back(2); });
    first.precede(second);
    run(graph);
    EXPECT_EQ(values, (std::vector{1, 2}));
    const auto between = graph.add([&values] { values.push_back(3); });
    between.succeed(first);
    between.precede(second);
    run(graph);
    EXPECT_EQ(values, (std::vector{1, 3, 2}));
  });
}

TEST(graph, keeps_closures_that_can_only_be_moved) {
  fg::graph graph;
  int value = 0;
  graph.add([held = std::make_unique<int>(7), &value] { value = *held; });
  graph.run();
  EXPECT_EQ(value, 7);
}

TEST(graph, nodes_on_a_pool_may_fork_and_spawn_and_run_graphs) {
  for (const std::size_t workers : {1U, 2U, 3U}) {
    fg::pool pool{fg::test::workers(workers)};
    fg::graph inner;
    std::vector<int> sums(3);
    const auto one = inner.add([&] { sums[1] = 1; });
    const auto two = inner.add([&] { sums[2] = sums[1] + 1; });
    one.precede(two);
    fg::graph outer;
    int forked = 0;
    int spawned = 0;
    const auto forks = outer.add([&] {
      const auto [a, b] = fg::fork_join([] { return 1; },
                                        [] {
                                          work();
                                          return 2;
                                        });
      forked += a + b;
    });
    const auto spawns = outer.add([&] {
      fg::task_group group;
      int of_task = 0;
      group.spawn([&of_task] {
        work();
        of_task = 1;
      });
      group.wait();
      spawned += of_task;
    });
    const auto runs_inner = outer.add([&] { inner.run(pool); });
    runs_inner.succeed(forks, spawns);
    for (int runs = 1; runs <= 100; ++runs) {
      outer.run(pool);
      ASSERT_EQ(forked, 3 * runs);
      ASSERT_EQ(spawned, runs);
      ASSERT_EQ(sums[2], 2);
    }
  }
}

TEST(graph, takes_ranges_of_nodes) {
  fg::graph graph;
  int sum = 0;
  std::vector<fg::graph::node> tracks(3);
  for (fg::graph::node& track : tracks) {
    track = graph.add([&sum] { ++sum; });
  }
  int at_bus = 0;
  const auto bus = graph.add([&] { at_bus = sum; });
  const auto clear = graph.add([&] { sum = 0; });
  bus.succeed(tracks);
  clear.precede(tracks, bus);
  graph.run();
  graph.run();
  EXPECT_EQ(at_bus, 3);
  EXPECT_NE(bus, clear);
}

TEST(graph, numbers_its_nodes) {
  fg::graph graph;
  EXPECT_THROW(static_cast<void>(graph.at(0)), std::out_of_range);
  const auto first = graph.add([] {});
  const auto second = graph.add([] {});
  EXPECT_EQ(graph.at(0), first);
  EXPECT_EQ(graph.at(1), second);
  EXPECT_THROW(static_cast<void>(graph.at(2)), std::out_of_range);
}

TEST(graph, refuses_edges_to_other_graphs_and_to_no_node) {
  fg::graph graph;
  fg::graph other;
  const auto here = graph.add([] {});
  const auto there = other.add([] {});
  EXPECT_THROW(here.precede(there), std::invalid_argument);
  EXPECT_THROW(here.succeed(fg::graph::node{}), std::invalid_argument);
  EXPECT_THROW(fg::graph::node{}.precede(here), std::invalid_argument);
}

TEST(graph, refuses_to_be_used_while_it_runs) {
  fg::relic relic;
  fg::graph graph;
  int refused = 0;
  const auto is_refused = [&refused](const auto& call) {
    try {
      call();
    } catch (const std::logic_error&) {
      ++refused;
    }
  };
  const auto node = graph.add([&] {
    is_refused([&] { graph.run(relic); });
    is_refused([&] { graph.run(); });
    is_refused([&] { graph.add([] {}); });
    is_refused([&] { static_cast<void>(graph.explain()); });
  });
  graph.run(relic);
  graph.run();
  EXPECT_EQ(refused, 8);
  EXPECT_EQ(node.name(), "#0");
}

TEST(graph, is_prepared_before_it_runs) {
  fg::graph graph;
  const auto one = graph.add([] {});
  graph.prepare();
  one.precede(one);
  EXPECT_THROW(graph.prepare(), std::invalid_argument);
}

TEST(graph, runs_on_other_threads_than_a_relic_s) {
  fg::relic relic;
  random_graph made{1};
  std::thread{[&] { made.graph().run(relic); }}.join();
  EXPECT_EQ(made.wrong(), "");
  relic.submit([&] { made.graph().run(relic); });
  relic.wait();
  EXPECT_EQ(made.wrong(), "");
  made.graph().run(relic);
  EXPECT_EQ(made.wrong(), "");
}

TEST(graph, says_what_it_knows) {
  fg::graph graph;
  const auto one = graph.add("one", [] { work(); });
  const auto two = graph.add("t\"wo", [] { work(); });
  one.precede(two);
  EXPECT_EQ(one.name(), "one");
  EXPECT_EQ(graph.explain(),
            "2 nodes, 1 edges: so far run by no relic and no pool\n  one\n  t\"wo\n");
  fg::relic relic;
  for (int runs = 0; runs != 100; ++runs) {
    graph.run(relic);
  }
  const std::string text = graph.explain();
  EXPECT_NE(text.find("2 nodes, 1 edges: kept on the calling thread"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  one, "), std::string::npos) << text;
  const std::string dot = graph.dot();
  EXPECT_NE(dot.find("1 [label=\"t\\\"wo, "), std::string::npos) << dot;
  EXPECT_NE(dot.find("0 -> 1\n"), std::string::npos) << dot;
}

}  // namespace
