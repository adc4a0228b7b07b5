// One step of a small network: two layers of 256 x 256, then a softmax. It takes 13 or 38
// microseconds, depending on the code that the compiler generates for dot(): too short to wake a
// thread for, long enough for an assistant that is awake.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/gain.hpp"
#include "support/network.hpp"

namespace {

constexpr std::size_t kWidth = 256;
constexpr int kStepsPerSample = 200;

using examples::numbers;
using vector = std::vector<float>;

float dot(const vector& matrix, std::size_t row, const vector& in) {
  return examples::dot<kWidth>(&matrix[row * kWidth], in.data());
}

struct network {
  vector first = numbers(kWidth * kWidth, 1);
  vector second = numbers(kWidth * kWidth, 2);
  vector hidden = vector(kWidth);
  vector out = vector(kWidth);

  // `rows(body)` calls body(row) for each row, on any threads.
  template <class Rows>
  const vector& step(const vector& in, Rows rows) {
    rows([&](std::size_t row) { hidden[row] = std::max(0.0F, dot(first, row, in)); });
    rows([&](std::size_t row) { out[row] = dot(second, row, hidden); });
    examples::softmax(out);
    return out;
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 200);
  network net;
  const vector in = numbers(kWidth, 3);
  fg::relic relic;

  const auto alone = [](auto body) {
    for (std::size_t row = 0; row != kWidth; ++row) {
      body(row);
    }
  };
  const auto shared = [&](auto body) { fg::parallel_for(relic, std::size_t{0}, kWidth, body); };

  const vector expected = net.step(in, alone);
  bool right = true;
  const auto repeat = [&](auto rows) {
    for (int step = 0; step != kStepsPerSample; ++step) {
      right &= net.step(in, rows) == expected;
    }
  };

  const double step_us = examples::seconds([&] { repeat(alone); }) * 1e6 / kStepsPerSample;
  std::printf("a step takes %.1f us on one thread\n", step_us);
  examples::measure_gain(
      pairs, [&] { repeat(alone); }, [&] { repeat(shared); })
      .print("with an assistant");
  if (!right) {
    std::printf("the results differ\n");
  }
  return right ? 0 : 1;
}
