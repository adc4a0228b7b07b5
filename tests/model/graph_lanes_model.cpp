// Two threads that run a graph in two lanes (graph/two_lanes.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "checker/protocol.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "small_graph.hpp"

namespace {

using fg::detail::two_lanes;

constexpr auto kLook = [](const void*, const auto& done) {
  model::await(done);
  return true;
};
constexpr auto kNobody = [] {};

// Lane 0: nodes 0, 2, 4; lane 1: nodes 1, 3. 2 waits for 1, 3 for 0, 4 for 3.
struct crossed_lanes {
  small_graph graph{{100, 90, 50, 40, 10}, {{0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 4}, {3, 4}}};
  two_lanes lanes{graph.run, graph.times};

  crossed_lanes() {
    model::require(graph.schedule.lane(0).size() == 3 && graph.schedule.crossings() == 3,
                   "it crosses three times");
  }
};

void one_run() {
  crossed_lanes both;
  both.lanes.begin(both.graph.schedule, 5);
  model::run_threads([&] { both.lanes.run<0, false>(kLook, kNobody); },
                     [&] { both.lanes.run<1, false>(kLook, kNobody); });
  both.graph.require_all_ran(1);
}

// The first nodes have run before the lanes begin: what they wrote is there for both, and nothing waits
// for them.
template <std::size_t Ended>
void the_rest_of_a_run() {
  crossed_lanes both;
  both.graph.begin_here(Ended);
  both.lanes.begin(both.graph.schedule, 5);
  model::run_threads([&] { both.lanes.run<0, false>(kLook, kNobody); },
                     [&] { both.lanes.run<1, false>(kLook, kNobody); });
  both.graph.require_all_ran(1);
}

// What the first run has published does not count in the second one.
void two_runs() {
  crossed_lanes both;
  for (int runs = 1; runs <= 2; ++runs) {
    both.lanes.begin(both.graph.schedule, 5);
    model::run_threads([&] { both.lanes.run<0, false>(kLook, kNobody); },
                       [&] { both.lanes.run<1, false>(kLook, kNobody); });
    both.graph.require_all_ran(runs);
  }
}

// The node throws: nothing that comes after it runs, and both lanes end.
template <std::uint32_t Node>
void one_throws() {
  crossed_lanes both;
  both.graph.throws = Node;
  both.lanes.begin(both.graph.schedule, 5);
  model::run_threads([&] { both.lanes.run<0, false>(kLook, kNobody); },
                     [&] { both.lanes.run<1, false>(kLook, kNobody); });
  for (const std::uint32_t after : both.graph.edges.successors(Node)) {
    model::require(both.graph.runs_of(after) == 0, "what comes after it is dropped");
  }
  model::require(both.graph.end.take() != nullptr, "the exception is kept");
  model::require(!both.graph.end.is_set(), "and the graph as new");
}

// Both lanes throw: one exception arrives.
void both_throw() {
  small_graph graph{{100, 90}, {}};
  two_lanes lanes{graph.run, graph.times};
  lanes.begin(graph.schedule, 2);
  model::run_threads(
      [&] {
        graph.end.keep(std::make_exception_ptr(1));
        lanes.run<0, false>(kLook, kNobody);
      },
      [&] {
        graph.end.keep(std::make_exception_ptr(2));
        lanes.run<1, false>(kLook, kNobody);
      });
  model::require(graph.end.take() != nullptr, "an exception is kept");
}

// Somebody asks it to stop.
void stopped() {
  crossed_lanes both;
  both.lanes.begin(both.graph.schedule, 5);
  model::run_threads([&] { both.lanes.run<0, false>(kLook, kNobody); },
                     [&] { both.lanes.run<1, false>(kLook, kNobody); },
                     [&] { both.graph.end.set(); });
}

// As on a pool: the first lane's thread frees all of it when it sees that the second one is over.
void left_when_over() {
  auto graph = std::make_unique<small_graph>(std::vector<std::uint64_t>{100, 90},
                                             std::vector<fg::detail::graph_edge>{});
  auto lanes = std::make_unique<two_lanes>(graph->run, graph->times);
  lanes->begin(graph->schedule, 2);
  two_lanes& shared = *lanes;
  model::run_threads(
      [&] {
        lanes->run<0, false>(kLook, kNobody);
        model::await([&] { return lanes->is_over(); });
        graph->require_all_ran(1);
        lanes.reset();
        graph.reset();
      },
      [&shared] {
        shared.begin_second();
        shared.run<1, false>(kLook, kNobody, true);
      });
}

// The second lane has no thread of its own.
void alone() {
  crossed_lanes both;
  both.lanes.begin(both.graph.schedule, 5);
  const auto never = [](const void*, const auto&) { return false; };
  const auto how = both.lanes.run<0, false>(never, kNobody);
  model::require(how == two_lanes::left::with_the_other, "it has run both");
  both.graph.require_all_ran(1);
}

// The second lane does not wait: the first one's thread takes it where it was paused, and frees it.
void taken_over() {
  auto both = std::make_unique<crossed_lanes>();
  two_lanes& lanes = both->lanes;
  lanes.begin(both->graph.schedule, 5);
  const auto until_done_or_paused = [&lanes](const void*, const auto& done) {
    model::await([&] { return done() || lanes.is_paused(); });
    return done();
  };
  const auto never = [](const void*, const auto&) { return false; };
  model::run_threads(
      [&] {
        if (lanes.run<0, false>(until_done_or_paused, kNobody) == two_lanes::left::at_its_end) {
          model::await([&] { return lanes.is_over() || lanes.is_paused(); });
          if (!lanes.is_over()) {
            lanes.run<1, false>(never, kNobody);
          }
        }
        both->graph.require_all_ran(1);
        both.reset();
      },
      [&lanes, never] { lanes.run<1, false>(never, kNobody, true); });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "graph_lanes: 2 threads, 5 nodes, 3 crossings",
      {{"a run", "each node once, after those before it", one_run},
       {"the rest after 1 node", "the others once, and the threads are ordered",
        the_rest_of_a_run<1>},
       {"the rest after 2 nodes", "the others once, and the threads are ordered",
        the_rest_of_a_run<2>},
       {"2 runs", "the same, and no step of the first counts in the second", two_runs},
       {"node 0 throws", "its successors are dropped, both lanes end", one_throws<0>},
       {"node 1 throws", "its successors are dropped, both lanes end", one_throws<1>},
       {"node 3 throws", "its successors are dropped, both lanes end", one_throws<3>},
       {"both lanes throw", "one exception arrives", both_throw},
       {"a stop", "both lanes end", stopped},
       {"freed when the second lane is over", "nobody touches it any more", left_when_over},
       {"1 thread", "each node once", alone},
       {"the second lane pauses", "it is taken over, once", taken_over}},
      argc, argv);
}
