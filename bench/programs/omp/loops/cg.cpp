// Conjugate gradients on the five points of an n x n plane, the matrix in compressed rows: five
// loops an iteration, two of them sums. Source: M. Hestenes, E. Stiefel, "Methods of conjugate
// gradients for solving linear systems", 1952.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

using vector = std::vector<double>;

constexpr std::size_t kIterations = 25;
constexpr std::size_t kLoops = 5;  // of an iteration; one more comes first

struct compressed_rows {
  std::vector<std::size_t> begins{0};  // of each row's entries, and the end of the last
  std::vector<std::size_t> columns;
  vector values;
};

compressed_rows plane_matrix(std::size_t n) {
  compressed_rows matrix;
  const auto add = [&matrix](std::size_t column, double value) {
    matrix.columns.push_back(column);
    matrix.values.push_back(value);
  };
  for (std::size_t row = 0; row < n * n; ++row) {
    if (row >= n) {
      add(row - n, -1);
    }
    if (row % n > 0) {
      add(row - 1, -1);
    }
    add(row, 4.1);
    if (row % n + 1 < n) {
      add(row + 1, -1);
    }
    if (row + n < n * n) {
      add(row + n, -1);
    }
    matrix.begins.push_back(matrix.columns.size());
  }
  return matrix;
}

template <class Tally>
void multiply(const compressed_rows& matrix, const vector& by, vector& product) {
  const std::size_t rows = product.size();
#pragma omp parallel for default(none) shared(matrix, by, product) firstprivate(rows)
  for (std::size_t row = 0; row < rows; ++row) {
    Tally::count();
    double sum = 0;
    for (std::size_t at = matrix.begins[row]; at < matrix.begins[row + 1]; ++at) {
      sum += matrix.values[at] * by[matrix.columns[at]];
    }
    product[row] = sum;
  }
}

double dot(const vector& left, const vector& right) {
  const std::size_t size = left.size();
  double sum = 0;
#pragma omp parallel for default(none) shared(left, right) firstprivate(size) reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) {
    sum += left[i] * right[i];
  }
  return sum;
}

void step(double factor, const vector& direction, const vector& product, vector& solution,
          vector& residual) {
  const std::size_t size = solution.size();
#pragma omp parallel for default(none) shared(direction, product, solution, residual) \
    firstprivate(size, factor)
  for (std::size_t i = 0; i < size; ++i) {
    solution[i] += factor * direction[i];
    residual[i] -= factor * product[i];
  }
}

void turn(double factor, const vector& residual, vector& direction) {
  const std::size_t size = direction.size();
#pragma omp parallel for default(none) shared(residual, direction) firstprivate(size, factor)
  for (std::size_t i = 0; i < size; ++i) {
    direction[i] = residual[i] + factor * direction[i];
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t n)
      : matrix_(plane_matrix(n)),
        right_(n * n),
        product_(n * n),
        repeats_(repeats_for(250 * n * n)) {
    for (std::size_t i = 0; i < right_.size(); ++i) {
      right_[i] = scattered(i);
    }
  }

  void prepare() override { solution_.assign(right_.size(), 0); }
  void run() override { solve_again_and_again<uncounted>(); }
  void run_counted() override { solve_again_and_again<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override { return solution_; }
  [[nodiscard]] std::uint64_t loops() const override {
    return (kLoops * kIterations + 1) * repeats_;
  }

 private:
  template <class Tally>
  void solve_again_and_again() {
    for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
      prepare();
      solve<Tally>();
    }
  }

  template <class Tally>
  void solve() {
    residual_ = right_;
    direction_ = right_;
    double length = dot(residual_, residual_);
    for (std::size_t iteration = 0; iteration < kIterations; ++iteration) {
      multiply<Tally>(matrix_, direction_, product_);
      step(length / dot(direction_, product_), direction_, product_, solution_, residual_);
      const double shorter = dot(residual_, residual_);
      turn(shorter / length, residual_, direction_);
      length = shorter;
    }
  }

  compressed_rows matrix_;
  vector right_;
  vector product_;
  vector solution_;
  vector residual_;
  vector direction_;
  std::size_t repeats_;
};

}  // namespace

made_loop_program make_cg(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
