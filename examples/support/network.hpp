// What the examples of inference share: weights, and the arithmetic on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace examples {

/// Numbers from -0.5 up to 0.5, the same for the same seed.
inline std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::vector<float> made(count);
  for (float& each : made) {
    seed = seed * 1664525U + 1013904223U;
    each = static_cast<float>(seed >> 8) / static_cast<float>(1U << 24) - 0.5F;
  }
  return made;
}

/// Of so many numbers each, a multiple of 8.
template <std::size_t Width>
float dot(const float* left, const float* right) {
  static_assert(Width % 8 == 0);
  float sums[8] = {};  // so that the compiler may use vector registers
  for (std::size_t i = 0; i != Width; i += 8) {
    for (std::size_t lane = 0; lane != 8; ++lane) {
      sums[lane] += left[i + lane] * right[i + lane];
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

inline void softmax(std::span<float> values) {
  const float greatest = *std::ranges::max_element(values);
  float sum = 0;
  for (float& each : values) {
    each = std::exp(each - greatest);
    sum += each;
  }
  for (float& each : values) {
    each /= sum;
  }
}

}  // namespace examples
