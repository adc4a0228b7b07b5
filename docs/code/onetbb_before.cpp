// The oneTBB side of docs/migration.md.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace {

long fib(long n) {
  if (n < 2) {
    return n;
  }
  long a = 0;
  long b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

long squares(std::size_t size) {
  std::vector<long> out(size);
  tbb::parallel_for(std::size_t{0}, size,
                    [&](std::size_t i) { out[i] = static_cast<long>(i * i); });
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>{0, size}, 0L,
      [&](const tbb::blocked_range<std::size_t>& part, long sum) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) {
          sum += out[i];
        }
        return sum;
      },
      std::plus<>{});
}

int tasks() {
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i) {
    group.run([&] { ++done; });
  }
  group.wait();
  return done;
}

}  // namespace

int main() { return fib(20) == 6765 && squares(1000) == 332'833'500 && tasks() == 100 ? 0 : 1; }
