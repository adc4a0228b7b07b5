#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <numeric>
#include <vector>

int main() {
  std::vector<long> data(2'000'000);
  std::iota(data.begin(), data.end(), 0L);
  const auto middle = data.begin() + 1'000'000;

  fg::relic relic;
  long left = 0;
  relic.submit([&] { left = std::accumulate(data.begin(), middle, 0L); });  // on the assistant
  const long right = std::accumulate(middle, data.end(), 0L);               // here, meanwhile
  relic.wait();
  std::printf("%ld + %ld = %ld\n", left, right, left + right);
}
