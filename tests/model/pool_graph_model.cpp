// A graph on the workers of a pool: in lanes (graph/pool_team.hpp), and as tasks
// (graph/stealing_run.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/protocol.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/stealing_run.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/pool.hpp"
#include "in_a_pool.hpp"
#include "small_graph.hpp"

namespace {

constexpr model::explorer::limits kLoops{.turns = 5};

// Lane 0: nodes 0, 2; lane 1: node 1. 2 waits for 1. Freed at once.
void lanes() {
  in_a_pool([] {
    const auto graph =
        std::make_unique<small_graph>(std::vector<std::uint64_t>{100, 90, 50},
                                      std::vector<fg::detail::graph_edge>{{0, 2}, {1, 2}});
    const auto both = std::make_unique<fg::detail::two_lanes>(graph->run, graph->times);
    both->begin(graph->schedule, 3);
    fg::detail::pool_team{*fg::worker::current()}.run_lanes<false>(*both);
    graph->require_all_ran(1);
  });
}
void lanes_awake() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {};
  lanes();
}
// A node a lane.
void lanes_and_a_sleeper() {
  fg::sleeps_left = {0, 1, 0};
  fg::clock_reads_left = {0, 1, 0};
  in_a_pool([] {
    small_graph graph{{100, 90}, {}};
    fg::detail::two_lanes both{graph.run, graph.times};
    both.begin(graph.schedule, 2);
    fg::detail::pool_team{*fg::worker::current()}.run_lanes<false>(both);
    graph.require_all_ran(1);
  });
}
// Lane 0: nodes 0, 2; lane 1: nodes 1, 3, of which 3 waits for 0, or pauses. Freed at once.
void a_lane_that_pauses() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {0, 0, 1};
  in_a_pool([] {
    const auto graph =
        std::make_unique<small_graph>(std::vector<std::uint64_t>{100, 90, 50, 40},
                                      std::vector<fg::detail::graph_edge>{{0, 2}, {0, 3}, {1, 3}});
    const auto both = std::make_unique<fg::detail::two_lanes>(graph->run, graph->times);
    both->begin(graph->schedule, 4);
    model::require(graph->schedule.lane(1).size() == 2 && graph->schedule.crossings() == 1,
                   "the second lane waits for the first one");
    fg::detail::pool_team{*fg::worker::current()}.run_lanes<false>(*both);
    graph->require_all_ran(1);
  });
}

// A join behind two nodes, one of which the other worker may take; twice, since the counts are set for
// the next run. Freed at once.
template <int Runs>
void tasks() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {};
  in_a_pool([] {
    const auto graph = std::make_unique<small_graph>(
        std::vector<std::uint64_t>{1, 1, 1}, std::vector<fg::detail::graph_edge>{{0, 2}, {1, 2}});
    const auto run =
        std::make_unique<fg::detail::stealing_run>(graph->edges, graph->run, graph->times);
    run->rebuild(graph->bodies);
    for (int runs = 1; runs <= Runs; ++runs) {
      run->run<false>(*fg::worker::current());
      graph->require_all_ran(runs);
    }
  });
}

// The first node has run before. It precedes two others, of which the other worker may take one, and
// these a join. Freed at once.
void rest_as_tasks() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {};
  in_a_pool([] {
    const auto graph = std::make_unique<small_graph>(
        std::vector<std::uint64_t>{1, 1, 1, 1},
        std::vector<fg::detail::graph_edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    const auto run =
        std::make_unique<fg::detail::stealing_run>(graph->edges, graph->run, graph->times);
    run->rebuild(graph->bodies);
    graph->begin_here(1);
    run->run<false>(*fg::worker::current(), 1);
    graph->require_all_ran(1);
  });
}

// A chain of two beside one node, which the other worker may ask for between the two.
void chain_beside_a_task() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {};
  in_a_pool([] {
    const auto graph = std::make_unique<small_graph>(std::vector<std::uint64_t>{1, 1, 1},
                                                     std::vector<fg::detail::graph_edge>{{0, 2}});
    const auto run =
        std::make_unique<fg::detail::stealing_run>(graph->edges, graph->run, graph->times);
    run->rebuild(graph->bodies);
    run->run<false>(*fg::worker::current());
    graph->require_all_ran(1);
  });
}

void task_throws() {
  fg::sleeps_left = {};
  fg::clock_reads_left = {};
  in_a_pool([] {
    const auto graph = std::make_unique<small_graph>(
        std::vector<std::uint64_t>{1, 1, 1}, std::vector<fg::detail::graph_edge>{{0, 2}, {1, 2}});
    graph->throws = 1;
    const auto run =
        std::make_unique<fg::detail::stealing_run>(graph->edges, graph->run, graph->times);
    run->rebuild(graph->bodies);
    run->run<false>(*fg::worker::current());
    model::require(graph->runs_of(2) == 0, "what comes after it is dropped");
    model::require(graph->end.take() != nullptr, "the exception is kept");
  });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "graph (pool): 2 workers, and their end",
      {{"3 nodes in 2 lanes", "each once, after those before it; the run is left alone",
        lanes_awake, kLoops},
       {"2 nodes, and the first lane's worker sleeps", "it wakes up", lanes_and_a_sleeper, kLoops},
       {"a second lane that pauses", "it is offered again, or taken over; left alone",
        a_lane_that_pauses, kLoops},
       {"3 nodes as tasks", "each once, after those before it; the run is left alone", tasks<1>,
        kLoops},
       {"the same twice", "the second run waits as the first one", tasks<2>, kLoops},
       {"4 nodes, of which the first has run", "the others once, after those before them",
        rest_as_tasks, kLoops},
       {"a chain beside a task", "each once; the chain's worker answers", chain_beside_a_task,
        kLoops},
       {"a task that throws", "its successor is dropped", task_throws, kLoops}},
      argc, argv);
}
