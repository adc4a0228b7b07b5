// A graph that is built once and run often: docs/graph.md.
#include <array>
#include <cstdio>
#include <finegrain/graph.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect.hpp"

namespace {

using block = std::vector<float>;

void fill(block& samples, int number) { samples.assign(256, static_cast<float>(number)); }
void halve(block& samples) {
  for (float& each : samples) {
    each /= 2;
  }
}

// One period of two tracks that are filtered and mixed.
struct mixer {
  block left;
  block right;
  block out;
  int period = 0;
  fg::graph graph;

  mixer() {
    const auto read = graph.add("read", [this] {
      ++period;
      fill(left, period);
      fill(right, 2 * period);
    });
    const auto filter_left = graph.add("filter left", [this] { halve(left); });
    const auto filter_right = graph.add("filter right", [this] { halve(right); });
    const auto mix = graph.add("mix", [this] {
      out = left;
      for (std::size_t i = 0; i != out.size(); ++i) {
        out[i] += right[i];
      }
    });
    read.precede(filter_left, filter_right);
    mix.succeed(filter_left, filter_right);
  }
};

void play() {
  mixer tracks;
  fg::relic relic;
  for (int period = 0; period != 1000; ++period) {
    tracks.graph.run(relic);
  }
  expect("play", tracks.out.front() == 1500.0F);
  std::printf("%s", tracks.graph.explain().c_str());
}

void on_a_pool() {
  mixer tracks;
  fg::pool pool;
  tracks.graph.run(pool);
  pool.run([&] {
    for (int period = 1; period != 1000; ++period) {
      tracks.graph.run(pool);
    }
  });
  expect("on a pool", tracks.out.front() == 1500.0F);
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
  mixer tracks;
  fg::relic relic;
  fg::stop_source source;
  source.request_stop();
  const bool ended = tracks.graph.run(relic, source.get_token());  // false: nodes were dropped
  expect("stop", !ended && tracks.period == 0);
}

}  // namespace

int main() {
  play();
  on_a_pool();
  cycle();
  stop();
  return is_right ? 0 : 1;
}
