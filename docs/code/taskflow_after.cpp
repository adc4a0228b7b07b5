// The finegrain side of docs/migration.md, for Taskflow.
#include <finegrain/graph.hpp>

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

}  // namespace

int main() {
  fg::pool pool;
  return diamond() == 6 && forked_diamond(pool, 1) == 6 ? 0 : 1;
}
