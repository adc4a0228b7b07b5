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

struct request {
  int text = 0;
  int query = 0;
  int found = 0;
};

void frames() {
  std::vector<request> requests(100);
  for (std::size_t each = 0; each != requests.size(); ++each) {
    requests[each].text = static_cast<int>(each);
  }
  fg::graph_of<request> answer;
  const auto parse = answer.add("parse", [](request& its) { its.query = 2 * its.text; });
  const auto search = answer.add("search", [](request& its) { its.found = its.query + 1; });
  parse.precede(search);
  answer.prepare();

  fg::pool pool;
  pool.run([&] {
    fg::task_group group;
    for (request& its : requests) {
      group.spawn([&] { answer.run(pool, its); });
    }
    group.wait();
  });
  bool is_answered = true;
  for (const request& its : requests) {
    is_answered = is_answered && its.found == 2 * its.text + 1;
  }
  expect("frames", is_answered);
}

void growing() {
  std::vector<int> found;
  std::vector<int> lengths(8);
  int sum = 0;
  fg::graph graph;
  const auto look = graph.add("look", [&] { found = {3, 1, 2}; });
  const auto each = graph.add_growing(
      "each",
      [&](fg::graph& more) {
        for (std::size_t at = 0; at != found.size(); ++at) {
          more.add([&, at] { lengths[at] = found[at]; });
        }
      },
      8, 0, 500);  // up to 8 nodes, no edges, 500 bytes of closures and names
  const auto add = graph.add("add", [&] { sum = lengths[0] + lengths[1] + lengths[2]; });
  each.succeed(look);
  each.precede(add);
  fg::relic relic;
  graph.run(relic);
  expect("growing", sum == 6);
}

template <class Group>
void scale(std::vector<int>& all, Group& group) {
  for (int& each : all) {
    group.spawn([&each] { each *= 2; });
  }
  group.wait();
}

void recorded() {
  std::vector<int> all{1, 2, 3};
  fg::graph again;
  fg::graph_recorder group{again};
  scale(all, group);
  fg::relic relic;
  again.run(relic);
  expect("recorded", all == std::vector{4, 8, 12});
}

}  // namespace

int main() {
  tracks_and_a_bus();
  cycle();
  stop();
  parts();
  frames();
  growing();
  recorded();
  return is_right ? 0 : 1;
}
