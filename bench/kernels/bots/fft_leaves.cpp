// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/fft_leaves.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fg::bench {

namespace {

fft_value operator+(fft_value left, fft_value right) noexcept {
  return {.re = left.re + right.re, .im = left.im + right.im};
}
fft_value operator-(fft_value left, fft_value right) noexcept {
  return {.re = left.re - right.re, .im = left.im - right.im};
}
fft_value operator*(fft_value left, fft_value right) noexcept {
  return {.re = left.re * right.re - left.im * right.im,
          .im = left.re * right.im + left.im * right.re};
}

}  // namespace

std::vector<fft_value> roots_of_unity(std::size_t count) {
  std::vector<fft_value> roots(count / 2);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    roots[k] = {.re = std::cos(angle), .im = std::sin(angle)};
  }
  return roots;
}

std::vector<fft_value> seeded_signal(std::uint64_t count) {
  constexpr std::uint32_t kSeed = 2009;
  std::mt19937 random{kSeed};
  const auto next = [&random] {  // 24 bits: exact
    return static_cast<double>(static_cast<std::int32_t>(random() >> 8U) - (1 << 23)) * 0x1p-23;
  };
  std::vector<fft_value> signal(count);
  for (fft_value& value : signal) {
    value.re = next();
    value.im = next();
  }
  return signal;
}

void split_even_and_odd(std::span<const fft_value> values, std::span<fft_value> out,
                        std::size_t begin, std::size_t end) noexcept {
  const std::size_t half = values.size() / 2;
  for (std::size_t k = begin; k < end; ++k) {
    out[k] = values[2 * k];
    out[half + k] = values[2 * k + 1];
  }
}

void join_even_and_odd(std::span<const fft_value> halves, std::span<fft_value> out,
                       std::span<const fft_value> roots, std::size_t stride, std::size_t begin,
                       std::size_t end) noexcept {
  const std::size_t half = halves.size() / 2;
  for (std::size_t k = begin; k < end; ++k) {
    const fft_value turned = roots[k * stride] * halves[half + k];
    out[k] = halves[k] + turned;
    out[half + k] = halves[k] - turned;
  }
}

void transform_sequentially(std::span<fft_value> values, std::span<fft_value> scratch,
                            std::span<const fft_value> roots, std::size_t stride) noexcept {
  const std::size_t half = values.size() / 2;
  if (half == 0) {
    return;
  }
  split_even_and_odd(values, scratch, 0, half);
  for (std::size_t begin = 0; begin <= half; begin += half) {
    transform_sequentially(scratch.subspan(begin, half), values.subspan(begin, half), roots,
                           2 * stride);
  }
  join_even_and_odd(scratch, values, roots, stride, 0, half);
}

std::vector<fft_value> transformed_by_levels(std::vector<fft_value> values) {
  const std::size_t count = values.size();
  for (std::size_t i = 0, reversed = 0; i < count; ++i) {
    if (i < reversed) {
      std::swap(values[i], values[reversed]);
    }
    // Adds one at the highest bit, with the carry going down.
    std::size_t bit = count / 2;
    for (; (reversed & bit) != 0; bit /= 2) {
      reversed ^= bit;
    }
    reversed |= bit;
  }
  for (std::size_t width = 2; width <= count; width *= 2) {
    const std::vector<fft_value> roots = roots_of_unity(width);
    for (std::size_t first = 0; first < count; first += width) {
      for (std::size_t k = 0; k < width / 2; ++k) {
        const fft_value even = values[first + k];
        const fft_value odd = roots[k] * values[first + width / 2 + k];
        values[first + k] = even + odd;
        values[first + width / 2 + k] = even - odd;
      }
    }
  }
  return values;
}

std::optional<std::string> spectral_difference(std::span<const fft_value> expected,
                                               std::span<const fft_value> found) {
  constexpr double kMargin = 4;  // the largest seen was 0.6, for 2^10 to 2^20 values
  const auto count = static_cast<double>(expected.size());
  const double bound = kMargin * std::numeric_limits<double>::epsilon() *
                       static_cast<double>(std::bit_width(expected.size())) * std::sqrt(count);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const fft_value error = found[k] - expected[k];
    // Not the inverse comparison: NaN has to fail.
    if (!(std::hypot(error.re, error.im) <= bound)) {
      return "frequency " + std::to_string(k) + " is off by " +
             std::to_string(std::hypot(error.re, error.im));
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
