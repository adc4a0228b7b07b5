// Fast Fourier transforms of n complex numbers, each of the one before, a loop a stage: a stage
// writes in order into the other of two arrays, and keeps the sum of all squares. Source: T. Stockham, "High-speed convolution and correlation", 1966.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

constexpr double kScale = 1 / std::numbers::sqrt2;

struct complex {  // std::complex looks for infinities in every product
  double real = 0;
  double imaginary = 0;
};

// The stage in which parts of `size / 2 / stride` butterflies lie `stride` apart.
template <class Tally>
void transform_stage(const std::vector<complex>& turns, const std::vector<complex>& from,
                     std::vector<complex>& to, std::size_t stride) {
  const std::size_t half = from.size() / 2;
#pragma omp parallel for default(none) shared(turns, from, to) firstprivate(half, stride)
  for (std::size_t i = 0; i < half; ++i) {
    Tally::count();
    const std::size_t inner = i & (stride - 1);
    const std::size_t outer = i - inner;
    const complex above = from[i];
    const complex below = from[i + half];
    const complex turn = turns[outer];
    const complex sum{kScale * (above.real + below.real),
                      kScale * (above.imaginary + below.imaginary)};
    const complex difference{kScale * (above.real - below.real),
                             kScale * (above.imaginary - below.imaginary)};
    to[2 * outer + inner] = sum;
    to[2 * outer + inner + stride] = {
        difference.real * turn.real - difference.imaginary * turn.imaginary,
        difference.real * turn.imaginary + difference.imaginary * turn.real};
  }
}

class program final : public loop_program {
 public:
  // Of the greatest power of two that is not above it.
  explicit program(std::size_t size)
      : input_(std::bit_floor(size)),
        turns_(input_.size() / 2),
        other_(input_.size()),
        stages_(static_cast<std::size_t>(std::bit_width(input_.size())) - 1),
        repeats_(repeats_for(stages_ * input_.size()) | 1U) {  // four make no change
    for (std::size_t i = 0; i < input_.size(); ++i) {
      input_[i] = {scattered(2 * i) - 0.5, scattered(2 * i + 1) - 0.5};
    }
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(input_.size());
      turns_[i] = {std::cos(angle), std::sin(angle)};
    }
  }

  void prepare() override { data_ = input_; }
  void run() override { transform_again_and_again<uncounted>(); }
  void run_counted() override { transform_again_and_again<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override {
    std::vector<double> numbers;
    for (const complex& each : data_) {
      numbers.insert(numbers.end(), {each.real, each.imaginary});
    }
    return numbers;
  }
  [[nodiscard]] std::uint64_t loops() const override { return stages_ * repeats_; }

 private:
  template <class Tally>
  void transform_again_and_again() {
    for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
      for (std::size_t stride = 1; stride < data_.size(); stride *= 2) {
        transform_stage<Tally>(turns_, data_, other_, stride);
        std::swap(data_, other_);
      }
    }
  }

  std::vector<complex> input_;
  std::vector<complex> turns_;  // of half a circle
  std::vector<complex> data_;
  std::vector<complex> other_;
  std::size_t stages_;
  std::size_t repeats_;
};

}  // namespace

made_loop_program make_fft(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
