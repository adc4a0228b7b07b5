// Tasks of a replayed taskgraph that wait for others (omp/graph_replay.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "graph_replay.hpp"
#include "task.hpp"

namespace {

using fg::omp::graph_replay;
using fg::omp::recorded_edges;

// Tasks 0 to `Before` - 1, for all of which the last one waits. They end while it is added, each on a
// thread of its own.
template <std::uint32_t Before>
struct waiting {
  static recorded_edges edges() {
    recorded_edges made;
    for (std::uint32_t i = 0; i < Before; ++i) {
      made.predecessors.push_back(0);
      made.first.push_back(i);
      made.successors.push_back(Before);
    }
    made.predecessors.push_back(Before);
    made.first.insert(made.first.end(), 2, Before);
    return made;
  }

  const recorded_edges all = edges();
  graph_replay replay{all};
  fg::omp::task tasks[Before + 1];
  int ran[Before + 1]{};

  waiting() {
    for (std::uint32_t i = 0; i < Before; ++i) {
      model::require(replay.add(i, tasks[i]), "nothing is before it");
    }
  }

  void end(std::uint32_t number) {
    ++ran[number];
    replay.finish(number, [this](fg::omp::task& ready) {
      model::require(&ready == &tasks[Before], "it has been added");
      run_last();
    });
  }
  void add_last() {
    if (replay.add(Before, tasks[Before])) {
      run_last();
    }
  }
  void run_last() {
    for (std::uint32_t i = 0; i < Before; ++i) {
      model::require(ran[i] == 1, "it runs after those before, and sees them");
    }
    end(Before);
  }
};

void one_before() {
  waiting<1> all;
  model::run_threads([&] { all.add_last(); }, [&] { all.end(0); });
  model::require(all.ran[1] == 1, "it is run once");
}

void two_before() {
  waiting<2> all;
  model::run_threads([&] { all.add_last(); }, [&] { all.end(0); }, [&] { all.end(1); });
  model::require(all.ran[2] == 1, "it is run once");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "replayed taskgraphs (omp)",
      {{"added while its predecessor ends", "each runs once, in order", one_before},
       {"2 predecessors, 3 threads", "run once, after both", two_before}},
      argc, argv);
}
