// A batch of products of 8 x 8 matrices, added up again and again: C += A B, a loop over the batch.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

constexpr std::size_t kRows = 8;
using matrix = std::array<double, kRows * kRows>;

void multiply(const matrix& left, const matrix& right, matrix& sum) {
  for (std::size_t row = 0; row < kRows; ++row) {
    std::array<double, kRows> products{};
    for (std::size_t k = 0; k < kRows; ++k) {
      for (std::size_t column = 0; column < kRows; ++column) {
        products[column] += left[row * kRows + k] * right[k * kRows + column];
      }
    }
    for (std::size_t column = 0; column < kRows; ++column) {
      sum[row * kRows + column] += products[column];
    }
  }
}

template <class Tally>
void multiply_all(const std::vector<matrix>& left, const std::vector<matrix>& right,
                  std::vector<matrix>& sums) {
  const std::size_t batch = sums.size();
#pragma omp parallel for default(none) shared(left, right, sums) firstprivate(batch)
  for (std::size_t i = 0; i < batch; ++i) {
    Tally::count();
    multiply(left[i], right[i], sums[i]);
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t batch)
      : left_(batch), right_(batch), sums_(batch), rounds_(repeats_for(160 * batch)) {
    for (std::size_t i = 0; i < batch; ++i) {
      for (std::size_t at = 0; at < kRows * kRows; ++at) {
        left_[i][at] = scattered(2 * (i * kRows * kRows + at));
        right_[i][at] = scattered(2 * (i * kRows * kRows + at) + 1);
      }
    }
  }

  void prepare() override {
    for (matrix& each : sums_) {
      each.fill(0);
    }
  }
  void run() override { rounds<uncounted>(); }
  void run_counted() override { rounds<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override {
    std::vector<double> numbers;
    for (const matrix& each : sums_) {
      numbers.insert(numbers.end(), each.begin(), each.end());
    }
    return numbers;
  }
  [[nodiscard]] std::uint64_t loops() const override { return rounds_; }

 private:
  template <class Tally>
  void rounds() {
    for (std::size_t i = 0; i < rounds_; ++i) {
      multiply_all<Tally>(left_, right_, sums_);
    }
  }

  std::vector<matrix> left_;
  std::vector<matrix> right_;
  std::vector<matrix> sums_;
  std::size_t rounds_;
};

}  // namespace

made_loop_program make_gemm(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
