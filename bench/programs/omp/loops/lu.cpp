// LU factorisation of a dense n x n matrix without pivots, a loop over the rows below each: the
// loops become shorter and shorter.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

template <class Tally>
void eliminate_below(std::vector<double>& matrix, std::size_t n, std::size_t pivot) {
#pragma omp parallel for default(none) shared(matrix) firstprivate(n, pivot) schedule(static)
  for (std::size_t row = pivot + 1; row < n; ++row) {
    Tally::count();
    double* const below = &matrix[row * n];
    const double* const above = &matrix[pivot * n];
    const double factor = below[pivot] / above[pivot];
    below[pivot] = factor;
    for (std::size_t column = pivot + 1; column < n; ++column) {
      below[column] -= factor * above[column];
    }
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t n) : n_(n), input_(n * n), repeats_(repeats_for(n * n * n / 6)) {
    for (std::size_t i = 0; i < input_.size(); ++i) {
      input_[i] = scattered(i) + (i % (n + 1) == 0 ? static_cast<double>(n) : 0);  // the diagonal
    }
  }

  void prepare() override { matrix_ = input_; }
  void run() override { factorise_again_and_again<uncounted>(); }
  void run_counted() override { factorise_again_and_again<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override { return matrix_; }
  [[nodiscard]] std::uint64_t loops() const override { return repeats_ * (n_ - 1); }

 private:
  template <class Tally>
  void factorise_again_and_again() {
    for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
      prepare();
      for (std::size_t pivot = 0; pivot + 1 < n_; ++pivot) {
        eliminate_below<Tally>(matrix_, n_, pivot);
      }
    }
  }

  std::size_t n_;
  std::vector<double> input_;
  std::vector<double> matrix_;
  std::size_t repeats_;
};

}  // namespace

made_loop_program make_lu(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
