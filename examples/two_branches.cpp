#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <numeric>
#include <vector>

int main() {
  const std::vector<long> data(2000, 1);
  fg::relic relic;  // one assistant thread beside this one
  auto left = relic.fork([&] { return std::reduce(data.begin(), data.begin() + 1000); });
  const long right = std::reduce(data.begin() + 1000, data.end());  // meanwhile, here
  std::printf("%ld\n", left.get() + right);
}
