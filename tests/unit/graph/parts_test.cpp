// Graphs that have other graphs as parts, choose between them and repeat them, and what is taken out of
// them again.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/graph.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/sanitizer.hpp"
#include "unit/graph/composite_graph.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::composite_graph;
using names = std::vector<std::string>;

// Adds a node that writes down its name.
fg::graph::node add_to(fg::graph& graph, names& ran, const std::string& name) {
  return graph.add(name, [&ran, name] { ran.push_back(name); });
}

TEST(graph_parts, run_in_place_of_a_node) {
  names ran;
  fg::graph part;
  const auto inner = add_to(part, ran, "b");
  inner.precede(add_to(part, ran, "c"));
  fg::graph graph;
  const auto last = add_to(graph, ran, "d");
  const auto middle = graph.add_graph("middle", part);
  const auto first = add_to(graph, ran, "a");
  first.precede(middle);
  last.succeed(middle);
  graph.run();
  EXPECT_EQ(ran, (names{"a", "b", "c", "d"}));
  EXPECT_NE(graph.explain().find("\n  middle\n  middle/b\n  middle/c\n  end of middle\n"),
            std::string::npos)
      << graph.explain();

  ran.clear();
  add_to(part, ran, "b2").succeed(inner);  // the whole follows
  graph.run();
  EXPECT_EQ(ran, (names{"a", "b", "c", "b2", "d"}));
}

TEST(graph_parts, without_nodes_keep_the_order) {
  names ran;
  fg::graph nothing;
  fg::graph graph;
  const auto last = add_to(graph, ran, "b");
  const auto middle = graph.add_graph("middle", nothing);
  middle.succeed(add_to(graph, ran, "a"));
  middle.precede(last);
  graph.run();
  EXPECT_EQ(ran, (names{"a", "b"}));
}

TEST(graph_parts, of_parts_and_several_times) {
  int calls = 0;
  fg::graph innermost;
  innermost.add("x", [&] { ++calls; });
  fg::graph inner;
  inner.add_graph("one", innermost).precede(inner.add_graph("two", innermost));
  fg::graph graph;
  graph.add_graph("left", inner).precede(graph.add_graph("right", inner));
  graph.run();
  EXPECT_EQ(calls, 4);
  EXPECT_NE(graph.explain().find("\n  right/two/x\n"), std::string::npos) << graph.explain();
}

TEST(graph_parts, refuse_a_graph_within_itself) {
  fg::graph graph;
  fg::graph part;
  graph.add_graph("part", part);
  part.add_graph("whole", graph);
  try {
    graph.prepare();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "graph: it would be a part of itself: part/whole");
  }
}

TEST(graph_parts, are_named_in_a_cycle) {
  fg::graph part;
  const auto one = part.add("one", [] {});
  const auto two = part.add("two", [] {});
  one.precede(two);
  two.precede(one);
  fg::graph graph;
  graph.add_graph("part", part);
  try {
    graph.run();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "graph: these nodes wait for each other: part/one -> part/two -> part/one");
  }
}

TEST(graph_choice, runs_the_part_of_that_number) {
  names ran;
  fg::graph zero;
  add_to(zero, ran, "zero");
  fg::graph one;
  add_to(one, ran, "one");
  std::int64_t chosen = 0;
  fg::graph graph;
  const auto choice = graph.add_choice("which", [&] { return chosen; }, zero, one);
  choice.precede(add_to(graph, ran, "then"));
  const auto ran_for = [&](std::int64_t number) {
    chosen = number;
    ran.clear();
    graph.run();
    return ran;
  };
  EXPECT_EQ(ran_for(0), (names{"zero", "then"}));
  EXPECT_EQ(ran_for(1), (names{"one", "then"}));
  EXPECT_EQ(ran_for(2), (names{"then"}));
  EXPECT_EQ(ran_for(-1), (names{"then"}));
  EXPECT_EQ(ran_for(0x100000000), (names{"then"}));
}

TEST(graph_choice, true_is_the_first_part_and_false_the_second_one) {
  names ran;
  fg::graph yes;
  add_to(yes, ran, "yes");
  fg::graph no;
  add_to(no, ran, "no");
  bool condition = true;
  fg::graph graph;
  graph.add_choice("either", [&] { return condition; }, yes, no);
  graph.add_choice("perhaps", [&] { return condition; }, yes);
  graph.run();
  condition = false;
  graph.run();
  EXPECT_EQ(ran, (names{"yes", "yes", "no"}));
}

TEST(graph_choice, within_a_part_that_does_not_run_is_not_made) {
  int choices = 0;
  int calls = 0;
  fg::graph innermost;
  innermost.add([&] { ++calls; });
  fg::graph inner;
  inner.add_choice("inner", [&] { return ++choices, 0; }, innermost);
  bool runs = true;
  fg::graph graph;
  graph.add_choice("outer", [&] { return runs; }, inner);
  graph.run();
  runs = false;
  graph.run();
  EXPECT_EQ(choices, 1);
  EXPECT_EQ(calls, 1);
}

TEST(graph_loop, repeats_a_part_while_it_is_told_to) {
  int sum = 0;
  int left = 0;
  fg::graph part;
  part.add([&] { sum += left; });
  fg::graph graph;
  const auto before = graph.add([&] { left = 5; });
  const auto loop = graph.add_loop("sum", [&] { return --left >= 0; }, part);
  before.precede(loop);
  for (int runs = 1; runs <= 3; ++runs) {
    graph.run();
    EXPECT_EQ(sum, 10 * runs);
  }
}

TEST(graph_loop, of_loops_on_each_executor) {
  const auto test = [](auto& executor) {
    int calls = 0;
    int inner_left = 0;
    int outer_left = 0;
    fg::graph innermost;
    innermost.add([&] { ++calls; });
    fg::graph inner;
    inner.add([&] { inner_left = 3; })
        .precede(inner.add_loop("inner", [&] { return --inner_left >= 0; }, innermost));
    fg::graph graph;
    graph.add([&] { outer_left = 4; })
        .precede(graph.add_loop("outer", [&] { return --outer_left >= 0; }, inner));
    for (int runs = 1; runs <= 50; ++runs) {
      graph.run(executor);
      ASSERT_EQ(calls, 12 * runs);
    }
  };
  fg::relic relic;
  test(relic);
  for (const std::size_t workers : {1U, 2U, 3U}) {
    fg::pool pool{fg::test::workers(workers)};
    test(pool);
  }
}

TEST(graph_loop, ends_with_an_exception_and_with_a_stop) {
  fg::graph part;
  int rounds = 0;
  const auto counts = part.add([&] {
    if (++rounds == 3) {
      throw std::runtime_error{"third"};
    }
  });
  fg::graph graph;
  bool has_gone_on = false;
  graph.add_loop("loop", [] { return true; }, part).precede(graph.add([&] { has_gone_on = true; }));
  fg::relic relic;
  EXPECT_THROW(graph.run(relic), std::runtime_error);
  EXPECT_EQ(rounds, 3);

  fg::stop_source source;
  counts.precede(part.add([&] {
    if (rounds == 100) {
      source.request_stop();
    }
  }));
  EXPECT_FALSE(graph.run(relic, source.get_token()));
  EXPECT_EQ(rounds, 100);
  EXPECT_FALSE(has_gone_on);
}

TEST(graph_loop, whose_part_cannot_run_is_refused_before_any_node_begins) {
  int calls = 0;
  fg::graph part;
  const auto node = part.add([&] { ++calls; });
  node.precede(node);
  fg::graph graph;
  graph.add([&] { ++calls; }).precede(graph.add_loop("loop", [&] { return calls < 2; }, part));
  EXPECT_THROW(graph.prepare(), std::invalid_argument);
  EXPECT_THROW(graph.prepare(), std::invalid_argument);
  EXPECT_THROW(graph.run(), std::invalid_argument);
  EXPECT_EQ(calls, 0);
  part.remove_edge(node, node);
  graph.run();
  EXPECT_EQ(calls, 2);
}

TEST(graph_loop, of_the_graph_itself_is_refused) {
  fg::graph graph;
  graph.add_loop("loop", [] { return true; }, graph);
  EXPECT_THROW(graph.run(), std::logic_error);
}

TEST(graph_loop, of_one_part_in_two_places_must_be_ordered) {
  int calls = 0;
  int left = 0;
  fg::graph part;
  part.add([&] { ++calls; });
  const auto again = [&] { return left-- > 0; };
  fg::graph graph;
  const auto one = graph.add_loop("one", again, part);
  const auto between = graph.add("between", [&] { left = 2; });
  const auto two = graph.add_loop("two", again, part);
  try {
    graph.prepare();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "graph: one and two run the same graph, and no edges order them");
  }
  one.precede(between);
  between.precede(two);
  graph.run();
  EXPECT_EQ(calls, 2);

  fg::graph tiles;
  tiles.add_growing("tiles", [](fg::graph&) {}, 1, 0, 100);
  fg::graph twice;
  const auto before = twice.add_graph("left", tiles);
  const auto after = twice.add_graph("right", tiles);
  EXPECT_THROW(twice.run(), std::invalid_argument);
  after.succeed(before);
  twice.run();

  fg::graph_of<int> inner;
  fg::graph_of<int> overlaps;
  overlaps.add_loop("one", [](int& rounds) { return rounds-- > 0; }, inner);
  overlaps.add_loop("two", [](int&) { return false; }, inner);
  int rounds = 1;
  overlaps.run(rounds);
}

TEST(graph_choice, is_explained_without_times_of_what_has_not_run) {
  fg::graph seldom;
  seldom.add("node", [] {});
  fg::graph graph;
  graph.add_choice("choice", [] { return false; }, seldom);
  fg::relic relic;
  if (relic.inline_mode()) {  // one CPU: nothing is timed
    GTEST_SKIP() << relic.inline_reason();
  }
  for (int runs = 0; runs != 10; ++runs) {
    graph.run(relic);
  }
  EXPECT_NE(graph.explain().find("choice/node, not run yet\n"), std::string::npos)
      << graph.explain();
}

TEST(graph_changes, remove_nodes_and_edges) {
  names ran;
  fg::graph graph;
  const auto a = add_to(graph, ran, "a");
  const auto b = add_to(graph, ran, "b");
  const auto c = add_to(graph, ran, "c");
  b.precede(a);
  c.precede(b);
  graph.run();
  EXPECT_TRUE(graph.remove_edge(b, a));
  EXPECT_FALSE(graph.remove_edge(b, a));
  graph.run();
  graph.remove(b);
  graph.run();
  EXPECT_EQ(ran, (names{"c", "b", "a", "a", "c", "b", "a", "c"}));
  EXPECT_EQ(graph.at(2), c);
  EXPECT_EQ(graph.size(), 3U);
  EXPECT_THROW(static_cast<void>(graph.at(1)), std::out_of_range);
  EXPECT_THROW(graph.remove(b), std::invalid_argument);
  EXPECT_THROW(b.precede(c), std::invalid_argument);
  EXPECT_THROW(c.precede(b), std::invalid_argument);
  EXPECT_THROW(graph.remove_edge(b, c), std::invalid_argument);

  graph.clear();
  EXPECT_EQ(graph.size(), 0U);
  ran.clear();
  graph.run();
  const auto fresh = add_to(graph, ran, "new");
  graph.run();
  EXPECT_EQ(ran, (names{"new"}));
  EXPECT_THROW(a.precede(fresh), std::invalid_argument) << "a has its number, and is gone";
  EXPECT_THROW(graph.remove(a), std::invalid_argument);
  EXPECT_EQ(graph.at(0), fresh);
}

TEST(graph_changes, remove_parts_choices_and_loops) {
  int calls = 0;
  fg::graph part;
  part.add([&] { ++calls; });
  fg::graph graph;
  const auto whole = graph.add_graph("part", part);
  const auto choice = graph.add_choice("choice", [] { return 0; }, part);
  const auto loop = graph.add_loop("loop", [] { return true; }, part);
  const auto last = graph.add_choice("last", [] { return 0; }, part);
  graph.remove(loop);
  graph.run();
  EXPECT_EQ(calls, 3);
  graph.remove(whole);
  graph.run();
  EXPECT_EQ(calls, 5);
  graph.remove(choice);
  graph.run();
  EXPECT_EQ(calls, 6);
  graph.remove(last);
  graph.run();
  EXPECT_EQ(calls, 6);
}

// 10^5 by hand.
constexpr std::uint32_t kCompositeGraphs = fg::test::kSlow ? 60 : 300;

TEST(graph_parts, compute_what_serial_code_does) {
  fg::relic relic;
  fg::pool two{fg::test::workers(2)};
  fg::pool three{fg::test::workers(3)};
  for (std::uint32_t seed = 0; seed != kCompositeGraphs; ++seed) {
    composite_graph made{seed};
    for (int runs = 0; runs != 8; ++runs) {
      if (seed % 8 < 2) {
        made.graph().run(relic);
      } else if (seed % 8 < 4) {
        made.graph().run(two);
      } else if (seed % 8 < 6) {
        made.graph().run(three);
      } else {
        made.graph().run();
      }
      ASSERT_TRUE(made.is_right()) << "seed " << seed << ", run " << runs;
    }
  }
}

}  // namespace
