// Runs of one graph that overlap (graph/graph_core.hpp, graph/spare_runs.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/graph/graph_core.hpp"

namespace {

using fg::detail::graph_core;
using calls = fg::detail::frame_calls<int>;

// A choice between two parts that each add a number to the frame, and what comes after it. Of all that
// runs need but the frame each has one of its own: two with the same are a race, or choose alike.
class chosen_sum {
 public:
  chosen_sum() {
    even_.change().add<calls>("", [](int& frame) { frame += 10; });
    odd_.change().add<calls>("", [](int& frame) { frame += 20; });
    const std::uint32_t choice = graph_.change().add_choice<calls>(
        "", [](int& frame) { return frame % 2; }, {&even_.layout(), &odd_.layout()});
    const std::uint32_t last = graph_.change().add<calls>("", [](int& frame) { frame *= 10; });
    graph_.change().connect({choice, last});
    graph_.prepare(1);
  }

  graph_core& graph() noexcept { return graph_; }

  void run(int frame) {
    const int sum = 10 * (frame + (frame % 2 == 0 ? 10 : 20));
    fg::detail::calling_thread here;
    graph_.run<true>(here, &frame);
    model::require(frame == sum, "each run has its own choice");
  }

 private:
  graph_core even_{true};
  graph_core odd_{true};
  graph_core graph_{true};
};

void two_runs() {
  chosen_sum graph;
  model::run_threads([&] { graph.run(1); }, [&] { graph.run(2); });
}

void three_runs() {
  chosen_sum graph;
  model::run_threads([&] { graph.run(1); }, [&] { graph.run(2); }, [&] { graph.run(3); });
}

// What a run has used another thread's run uses next.
void one_after_the_other() {
  chosen_sum graph;
  model::run_threads(
      [&] {
        graph.run(1);
        graph.run(4);
      },
      [&] { graph.run(2); });
}

// Nobody has prepared the graph since it was changed.
void first_runs() {
  chosen_sum graph;
  graph.graph().change().add<calls>("", [](int&) {});
  model::run_threads([&] { graph.run(1); }, [&] { graph.run(2); });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "overlapping runs of a graph",
      {{"2 threads, a run each", "each with its own state", two_runs, {}},
       {"3 threads, a run each", "the same", three_runs, {}},
       {"2 threads, 2 runs and 1", "the same, when state is used again", one_after_the_other, {}},
       {"2 threads, of a changed graph", "it is compiled once, before", first_runs, {}}},
      argc, argv);
}
