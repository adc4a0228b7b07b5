// Whether a piece of your program is long enough to share: docs/index.md.
#include <chrono>
#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <numeric>
#include <vector>

namespace {

const std::vector<long> data(16'000, 1);

long left_half() { return std::reduce(data.begin(), data.begin() + 8000); }
long right_half() { return std::reduce(data.begin() + 8000, data.end()); }

template <class Work>
double ns_a_call(Work work) {
  constexpr int kCalls = 5'000;
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < kCalls; ++call) {
    work();
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         kCalls;
}

}  // namespace

int main() {
  fg::relic relic;
  std::printf("%s\n", relic.placement().reason.c_str());
  for (int repeat = 0; repeat < 3; ++repeat) {
    long sum = 0;
    const double serial = ns_a_call([&] { sum += left_half() + right_half(); });
    const double shared = ns_a_call([&] {
      const auto [left, right] =
          fg::fork_join(relic, [] { return left_half(); }, [] { return right_half(); });
      sum += left + right;
    });
    std::printf("serial %.0f ns, shared %.0f ns\n", serial, shared);
    if (sum != 2L * 5'000 * 16'000) {
      return 1;
    }
  }
  std::printf("handed over %llu times, kept %llu times\n",
              static_cast<unsigned long long>(relic.counters().tasks),
              static_cast<unsigned long long>(relic.counters().tasks_inlined));
}
