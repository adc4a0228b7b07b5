// A fast Fourier transform of complex numbers, out of place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/bots/application.hpp"
#include "kernels/bots/fft_leaves.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Decimation in time by halves: splits the values into even and odd ones, transforms both, and
/// joins them. The halves are tasks; splitting and joining are divided into tasks too, down to a
/// given number of pairs. Source: J. W. Cooley, J. W. Tukey, 1965; as Cilk's fft in "Barcelona
/// OpenMP Tasks Suite" (see applications.hpp), which divides by larger numbers than two.
class fft final : public application {
 public:
  /// Requires a power of two.
  explicit fft(std::uint64_t count)
      : input_(seeded_signal(count)),
        expected_(transformed_by_levels(input_)),
        roots_(roots_of_unity(count)),
        values_(count),
        scratch_(count) {}

  void prepare() override {
    values_ = input_;
    // So that the check detects a part that was left out.
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    scratch_.assign(scratch_.size(), {.re = kNone, .im = kNone});
  }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    transform(tasks, values_, scratch_, 1);
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    return spectral_difference(expected_, values_);
  }

 private:
  using values = std::span<fft_value>;
  // As in the suite, in values and pairs: the sizes of a sequential transform and of a sequential
  // part.
  static constexpr std::size_t kSequentialValues = 32;
  static constexpr std::size_t kSequentialPairs = 128;

  template <task_handle Tasks>
  void transform(Tasks tasks, values own, values free, std::size_t stride) {
    if (own.size() <= kSequentialValues) {
      transform_sequentially(own, free, roots_, stride);
      return;
    }
    const std::size_t half = own.size() / 2;
    by_parts(tasks, 0, half, [own, free](std::size_t begin, std::size_t end) {
      split_even_and_odd(own, free, begin, end);
    });
    typename Tasks::group halves{tasks};
    for (std::size_t begin = 0; begin <= half; begin += half) {
      halves.spawn([this, even = free.subspan(begin, half), other = own.subspan(begin, half),
                    stride](Tasks inner) { transform(inner, even, other, 2 * stride); });
    }
    halves.wait();
    by_parts(tasks, 0, half, [this, own, free, stride](std::size_t begin, std::size_t end) {
      join_even_and_odd(free, own, roots_, stride, begin, end);
    });
  }

  template <task_handle Tasks, class Part>
  static void by_parts(Tasks tasks, std::size_t begin, std::size_t end, const Part& part) {
    if (end - begin <= kSequentialPairs) {
      part(begin, end);
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    typename Tasks::group halves{tasks};
    halves.spawn([&part, begin, middle](Tasks inner) { by_parts(inner, begin, middle, part); });
    halves.spawn([&part, middle, end](Tasks inner) { by_parts(inner, middle, end, part); });
    halves.wait();
  }

  std::vector<fft_value> input_;
  std::vector<fft_value> expected_;
  std::vector<fft_value> roots_;
  std::vector<fft_value> values_;
  std::vector<fft_value> scratch_;
};

}  // namespace fg::bench::bots
