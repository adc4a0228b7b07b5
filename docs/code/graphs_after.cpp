// The finegrain side of docs/migration_graphs.md.
#include <cstddef>
#include <finegrain/graph.hpp>
#include <finegrain/pipeline.hpp>
#include <numeric>
#include <optional>
#include <vector>

namespace {

int diamond() {
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  fg::pool pool;
  fg::graph graph;
  const auto first = graph.add([&] { a = 1; });
  const auto left = graph.add([&] { b = a + 1; });
  const auto right = graph.add([&] { c = a + 2; });
  const auto last = graph.add([&] { d = b * c; });
  first.precede(left, right);
  last.succeed(left, right);
  graph.run(pool);
  return d;
}

int forked_diamond(fg::pool& pool, int a) {
  return pool.run([a] {
    const auto [b, c] = fg::fork_join([a] { return a + 1; }, [a] { return a + 2; });
    return b * c;
  });
}

int doubled_ten_times(fg::pool& pool) {
  int value = 1;
  int rounds = 0;
  fg::graph round;
  round.add([&] {
    value *= 2;
    ++rounds;
  });
  fg::graph graph;
  const auto begin = graph.add([&] { rounds = 0; });
  const auto loop = graph.add_loop("ten rounds", [&] { return rounds != 10; }, round);
  const auto end = graph.add([&] { ++value; });
  begin.precede(loop);
  loop.precede(end);
  graph.run(pool);
  return value;
}

long sum_of_found(fg::pool& pool, std::size_t count) {
  fg::graph graph;
  std::vector<long> found(count);
  long sum = 0;
  const auto search = graph.add_growing(
      "search",
      [&](fg::graph& more) {
        for (std::size_t at = 0; at != found.size(); ++at) {
          more.add([&, at] { found[at] = static_cast<long>(at); });
        }
      },
      8, 0, 500);  // up to 8 nodes, no edges, 500 bytes of closures and names
  search.precede(graph.add([&] { sum = std::accumulate(found.begin(), found.end(), 0L); }));
  graph.run(pool);
  return sum;
}

long sum_of_squares(fg::pool& pool, const std::vector<long>& numbers) {
  long sum = 0;
  std::size_t next = 0;
  fg::pipeline squares{fg::serial_in_order([&] {
                         return next == numbers.size() ? std::nullopt
                                                       : std::optional{numbers[next++]};
                       }),
                       fg::parallel([](long value) { return value * value; }),
                       fg::serial_in_order([&](long square) { sum += square; })};
  squares.run(pool, {.tokens = 16});
  return sum;
}

}  // namespace

int main() {
  fg::pool pool;
  const bool right = diamond() == 6 && forked_diamond(pool, 1) == 6 &&
                     doubled_ten_times(pool) == 1025 && sum_of_found(pool, 4) == 6 &&
                     sum_of_squares(pool, {1, 2, 3, 4}) == 30;
  return right ? 0 : 1;
}
