// The finegrain side of docs/migration.md, for oneTBB.
#include <atomic>
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

long squares(std::size_t size) {
  std::vector<long> out(size);
  fg::parallel_for(std::size_t{0}, size, [&](std::size_t i) { out[i] = static_cast<long>(i * i); });
  return fg::parallel_reduce(
      std::size_t{0}, size, 0L,
      [&](std::size_t first, std::size_t last) {
        long sum = 0;
        for (std::size_t i = first; i != last; ++i) {
          sum += out[i];
        }
        return sum;
      },
      std::plus<>{});
}

int tasks() {
  std::atomic<int> done{0};
  fg::task_group group;
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] { ++done; });
  }
  group.wait();
  return done;
}

}  // namespace

int main() {
  fg::pool pool;  // where oneTBB has threads of its own behind the scenes
  const bool right =
      pool.run([] { return fib(20) == 6765 && squares(1000) == 332'833'500 && tasks() == 100; });
  return right ? 0 : 1;
}
