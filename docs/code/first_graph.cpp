// The first program of docs/graph.md.
#include <cstdio>
#include <finegrain/graph.hpp>

int main() {
  int sample = 0;
  int left = 0;
  int right = 0;
  int out = 0;
  fg::graph graph;
  const auto read = graph.add("read", [&] { ++sample; });
  const auto to_left = graph.add("left", [&] { left = 2 * sample; });
  const auto to_right = graph.add("right", [&] { right = 3 * sample; });
  const auto mix = graph.add("mix", [&] { out = left + right; });
  read.precede(to_left, to_right);
  mix.succeed(to_left, to_right);

  fg::relic relic;
  for (int period = 0; period != 1000; ++period) {
    graph.run(relic);
  }
  std::printf("%d\n%s", out, graph.explain().c_str());
}
