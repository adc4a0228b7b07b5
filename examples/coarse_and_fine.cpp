// Coarse tasks travel between cores, fine ones stay inside one: a pool with assistants.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"

namespace {

// 1000 numbers take about 0.1 us per half: too fine to move to another core.
std::int64_t sum_fine(fg::hybrid_pool& pool, std::span<const std::int64_t> numbers) {
  const auto half = numbers.size() / 2;
  const auto sum = [](std::span<const std::int64_t> part) {
    return std::accumulate(part.begin(), part.end(), std::int64_t{0});
  };
  const auto [low, high] = pool.fork_join_fine([&] { return sum(numbers.first(half)); },
                                               [&] { return sum(numbers.subspan(half)); });
  return low + high;
}

}  // namespace

int main() {
  std::vector<std::int64_t> numbers(1'000'000);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  fg::hybrid_pool pool;
  const std::int64_t total = pool.run([&] {
    return fg::parallel_reduce(
        0, 1000, std::int64_t{0},
        [&](int piece) {
          return sum_fine(pool,
                          std::span{numbers}.subspan(static_cast<std::size_t>(piece) * 1000, 1000));
        },
        std::plus<>{});
  });
  std::printf("%lld\n", static_cast<long long>(total));
  return total == 499'999'500'000 ? 0 : 1;
}
