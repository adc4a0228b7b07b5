// Runs of one graph that overlap (graph/graph_core.hpp, graph/spare_runs.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

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

// What orders nothing: a flag by which misuse is noticed, and what is left when something was thrown.
void what_fails() {
  graph_core part{false};
  const std::uint32_t one = part.change().add<fg::detail::frame_calls<>>("", [] {});
  part.change().connect({one, one});
  graph_core whole{false};
  whole.change().add_runner("", [](fg::detail::graph_run&) {}, part);
  fg::detail::calling_thread here;
  bool has_thrown = false;
  try {
    whole.run<false>(here, nullptr);
  } catch (const std::invalid_argument&) {
    has_thrown = true;
  }
  model::require(has_thrown, "a part that cannot run is refused");
  part.change().clear();
  whole.run<false>(here, nullptr);

  fg::detail::spare_runs spares;
  has_thrown = false;
  try {
    static_cast<void>(
        spares.take([]() -> std::unique_ptr<fg::detail::spare_run> { throw std::bad_alloc{}; }));
  } catch (const std::bad_alloc&) {
    has_thrown = true;
  }
  model::require(has_thrown, "no memory for a run is passed on");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "overlapping runs of a graph",
      {{"2 threads, a run each", "each with its own state", two_runs, {}},
       {"3 threads, a run each", "the same", three_runs, {}},
       {"2 threads, 2 runs and 1", "the same, when state is used again", one_after_the_other, {}},
       {"2 threads, of a changed graph", "it is compiled once, before", first_runs, {}},
       {"a part with a cycle, and no memory", "refused, and as before afterwards", what_fails, {}}},
      argc, argv);
}
