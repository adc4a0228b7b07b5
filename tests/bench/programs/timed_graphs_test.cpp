// Graphs are what they are said to be, their runs are timed, and what is wrong has no number.
// SPDX-License-Identifier: Apache-2.0
#include "programs/graph/timed_graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/graph/branches.hpp"
#include "programs/graph/graph_nodes.hpp"
#include "programs/graph/graph_process.hpp"
#include "programs/graph/graph_shape.hpp"

namespace {

using fg::bench::graph_node;
using fg::bench::graph_nodes;
using fg::bench::graph_plan;
using fg::bench::graph_run;
using fg::bench::graph_shape;
using fg::bench::graph_shape_of;
using fg::bench::timed_graphs;

graph_plan plan_of(std::string_view shape, double node_steps) {
  return {.shape = graph_shape_of(shape),
          .node_steps = node_steps,
          .runs = 3,
          .graphs = 2,
          .batches = 4};
}

graph_run in_order(graph_nodes& nodes) {
  return [&nodes] {
    for (graph_node& each : nodes) {
      each();
    }
  };
}

TEST(graph_shape, each_has_its_size_and_an_order) {
  const std::map<std::string, std::size_t> sizes{
      {"chain", 64},     {"diamond", 4},   {"wavefront", 64}, {"random", 64},
      {"inference", 64}, {"cholesky", 56}, {"audio", 64}};
  for (const std::string& name : fg::bench::graph_shapes()) {
    const graph_shape shape = graph_shape_of(name);
    EXPECT_EQ(shape.weights.size(), sizes.at(name)) << name;
    for (std::size_t at = 0; at < shape.predecessors.size(); ++at) {
      EXPECT_TRUE(std::ranges::all_of(shape.predecessors[at], [at](std::uint32_t before) {
        return before < at;
      })) << name;
    }
  }
  EXPECT_EQ(fg::bench::graph_shapes().size(), sizes.size());
}

// From the last branch to the first, which no edge forbids.
TEST(graph_shape, series_and_branches_are_the_same_graph) {
  const auto backwards = [](const auto& f, const auto& g) {
    g();
    f();
  };
  for (const std::string& name : fg::bench::graph_shapes()) {
    timed_graphs graphs{plan_of(name, 0)};
    const auto build = [&](graph_nodes& nodes) { return fg::bench::forked(nodes, backwards); };
    if (graph_shape_of(name).nested) {
      EXPECT_NO_THROW(graphs.measure(build)) << name;
    } else {
      EXPECT_THROW(graphs.measure(build), fg::bench::wrong_arguments) << name;
    }
  }
}

TEST(timed_graphs, all_is_timed) {
  timed_graphs graphs{plan_of("audio", 10)};
  ASSERT_FALSE(fg::pin_this_thread(fg::usable_cpus().front()));
  graphs.measure(in_order);
  const fg::bench::graph_result& result = graphs.result();
  EXPECT_EQ(result.ns.size(), 4U);
  EXPECT_EQ(result.build_ns.size(), 2U);
  EXPECT_EQ(result.first_ns.size(), 2U);
  EXPECT_EQ(result.hundredth_ns.size(), 2U);
  EXPECT_GT(std::ranges::min(result.ns), 0);
  EXPECT_EQ(result.elsewhere, 0);
  EXPECT_EQ(result.cpus, std::set<int>{fg::usable_cpus().front()});
}

// Runs that are all right but this one, of which there are 100 to prove the order, 3 to warm up, 100 of
// each graph, 3 to warm up, 4 batches of 3, and 2 to see where nodes run.
constexpr int kAllRuns = 100 + 3 + 2 * 100 + 3 + 4 * 3 + 2;

void expect_wrong(int which, const std::function<void(graph_nodes&)>& wrong,
                  double node_steps = 0) {
  timed_graphs graphs{plan_of("wavefront", node_steps)};
  int runs = 0;
  EXPECT_THROW(graphs.measure([&](graph_nodes& nodes) -> graph_run {
    return [&nodes, &runs, &wrong, which, right = in_order(nodes)] {
      if (++runs == which) {
        wrong(nodes);
      } else {
        right();
      }
    };
  }),
               fg::bench::wrong_result)
      << "run " << which;
}

TEST(timed_graphs, a_run_that_is_left_out_is_a_wrong_result) {
  for (const int which : {1, 102, 150, 303, 310, kAllRuns}) {
    expect_wrong(which, [](graph_nodes&) {});
  }
}

TEST(timed_graphs, a_node_that_runs_never_or_twice_is_a_wrong_result) {
  for (const std::size_t lost : {std::size_t{0}, std::size_t{63}}) {
    expect_wrong(315, [lost](graph_nodes& nodes) {
      for (std::size_t at = 0; at < nodes.size(); ++at) {
        nodes[at == lost ? 31 : at]();
      }
    });
  }
}

// 9 needs 1 and 8.
TEST(timed_graphs, a_node_that_begins_too_early_is_a_wrong_result_where_nodes_are_watched) {
  for (const int which : {1, 100, kAllRuns}) {
    expect_wrong(which, [](graph_nodes& nodes) {
      nodes[9]();
      for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (at != 9) {
          nodes[at]();
        }
      }
    });
  }
}

TEST(timed_graphs, a_broken_runtime_ends_the_process_with_its_status) {
  const fg::bench::graph_runtime broken{.name = "broken",
                                        .version = "1",
                                        .forms = {"default"},
                                        .session = [](fg::bench::cpu_pair, std::string_view,
                                                      const fg::bench::measure_graphs& measure) {
                                          measure([](graph_nodes& nodes) -> graph_run {
                                            return [&nodes] {
                                              for (graph_node& each : std::views::reverse(nodes)) {
                                                each();
                                              }
                                            };
                                          });
                                        }};
  std::vector<std::string> words{"graph-broken", "--shape", "chain", "--warmup-ms", "0"};
  std::vector<char*> arguments;
  std::ranges::transform(words, std::back_inserter(arguments), [](auto& it) { return it.data(); });
  EXPECT_EQ(fg::bench::graph_main(static_cast<int>(arguments.size()), arguments.data(), broken), 3);
}

}  // namespace
