#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <numeric>
#include <vector>

int main() {
  const std::vector<long> data(2000, 1);
  fg::relic relic;  // one assistant thread beside this one
  long left = 0;
  relic.submit([&] { left = std::reduce(data.begin(), data.begin() + 1000); });  // over there
  const long right = std::reduce(data.begin() + 1000, data.end());               // meanwhile
  relic.wait();
  std::printf("%ld\n", left + right);
}
