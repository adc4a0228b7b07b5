// The finegrain side of docs/migration.md, for OpenMP.
#include <cstddef>
#include <finegrain/finegrain.hpp>
#include <functional>
#include <vector>

namespace {

long fib(long n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

long fib_of_20() {
  fg::pool pool;  // once in a program: it holds the threads
  return pool.run([] { return fib(20); });
}

long squares(fg::pool& pool, std::size_t size) {
  std::vector<long> out(size);
  return pool.run([&] {
    fg::parallel_for(std::size_t{0}, size,
                     [&](std::size_t i) { out[i] = static_cast<long>(i * i); });
    return fg::parallel_reduce(
        std::size_t{0}, size, 0L, [&](std::size_t i) { return out[i]; }, std::plus<>{});
  });
}

}  // namespace

int main() {
  fg::pool pool;
  return fib_of_20() == 6765 && squares(pool, 1000) == 332'833'500 ? 0 : 1;
}
