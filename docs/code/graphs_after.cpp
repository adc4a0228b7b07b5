// The finegrain side of docs/migration_graphs.md.
#include <cstddef>
#include <finegrain/graph.hpp>
#include <finegrain/pipeline.hpp>
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
  const bool right =
      diamond() == 6 && forked_diamond(pool, 1) == 6 && sum_of_squares(pool, {1, 2, 3, 4}) == 30;
  return right ? 0 : 1;
}
