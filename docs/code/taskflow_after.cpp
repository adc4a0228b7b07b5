// The finegrain side of docs/migration.md, for Taskflow.
#include <finegrain/finegrain.hpp>

namespace {

int diamond(fg::pool& pool, int a) {
  return pool.run([a] {
    const auto [b, c] = fg::fork_join([a] { return a + 1; }, [a] { return a + 2; });
    return b * c;
  });
}

}  // namespace

int main() {
  fg::pool pool;
  return diamond(pool, 1) == 6 ? 0 : 1;
}
