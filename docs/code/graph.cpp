// Graphs that are built once and run often: docs/graph.md.
#include <cstddef>
#include <cstdio>
#include <finegrain/graph.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect.hpp"

namespace {

int level_of(std::size_t track) { return static_cast<int>(track); }

void tracks_and_a_bus() {
  std::vector<int> levels(8);
  int sum = 0;
  fg::graph graph;
  const auto bus = graph.add([&] { sum = std::accumulate(levels.begin(), levels.end(), 0); });
  std::vector<fg::graph::node> tracks(8);
  for (std::size_t track = 0; track != tracks.size(); ++track) {
    tracks[track] = graph.add([&, track] { levels[track] = level_of(track); });
  }
  bus.succeed(tracks);
  graph.prepare();
  fg::pool pool;
  pool.run([&] {
    for (int period = 0; period != 1000; ++period) {
      graph.run(pool);
    }
  });
  expect("tracks and a bus", sum == 28);
}

void cycle() {
  fg::relic relic;
  fg::graph graph;
  const auto decode = graph.add("decode", [] {});
  const auto render = graph.add("render", [] {});
  decode.precede(render);
  render.precede(decode);
  std::string said;
  try {
    graph.run(relic);
  } catch (const std::invalid_argument& error) {
    said = error.what();  // graph: these nodes wait for each other: decode -> render -> decode
  }
  expect("cycle", said == "graph: these nodes wait for each other: decode -> render -> decode");
}

void stop() {
  fg::relic relic;
  int calls = 0;
  fg::graph graph;
  graph.add([&] { ++calls; });
  fg::stop_source source;
  source.request_stop();
  const bool ended = graph.run(relic, source.get_token());  // false: a stop was requested
  expect("stop", !ended && calls == 0);
}

struct image {
  int rows = 0;
  bool is_large = false;
};

void parts() {
  image frame{.rows = 3, .is_large = true};
  int error = 0;
  int blurred = 0;
  int rounds = 0;
  fg::graph blur;
  blur.add("rows", [&] { blurred += frame.rows; }).precede(blur.add("columns", [&] { ++blurred; }));
  fg::graph shrink;
  shrink.add("halve", [&] { frame.rows /= 2; });
  fg::graph step;
  step.add("relax", [&] { error /= 2; });

  fg::graph graph;
  const auto load = graph.add("load", [&] { error = 100; });
  const auto fit = graph.add_choice("fit", [&] { return frame.is_large; }, shrink);
  const auto smooth = graph.add_graph("smooth", blur);
  const auto solve = graph.add_loop("solve", [&] { return error > 1; }, step);
  load.precede(fit);
  fit.precede(smooth);
  smooth.precede(solve);
  graph.add("count", [&] { rounds = error; }).succeed(solve);

  fg::relic relic;
  graph.run(relic);
  expect("parts", frame.rows == 1 && blurred == 2 && rounds == 1);

  graph.remove_edge(smooth, solve);
  graph.remove(fit);
  frame.rows = 3;
  graph.run(relic);
  expect("without a node", frame.rows == 3);
}

}  // namespace

int main() {
  tracks_and_a_bus();
  cycle();
  stop();
  parts();
  return is_right ? 0 : 1;
}
