// LU factorisation of a sparse matrix of blocks: in each step, one task for each block to the right
// of the diagonal and below it and, after they have finished, one for each product of the two.
// Source: A. Duran, X. Teruel, R. Ferrer, X. Martorell, E. Ayguade, "Barcelona OpenMP Tasks Suite",
// ICPP 2009 (all tasks from a single thread; the memory of the blocks is allocated before).
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/bots/sparselu_matrix.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

template <class Tally>
void solve_around(block_matrix& matrix, std::size_t k) {
  for (std::size_t column = k + 1; column < matrix.rows(); ++column) {
    if (matrix.has(k, column)) {
#pragma omp task default(none) shared(matrix) firstprivate(k, column)
      {
        Tally::count();
        solve_row(matrix.at(k, k), matrix.at(k, column));
      }
    }
  }
  for (std::size_t row = k + 1; row < matrix.rows(); ++row) {
    if (matrix.has(row, k)) {
#pragma omp task default(none) shared(matrix) firstprivate(k, row)
      {
        Tally::count();
        solve_column(matrix.at(k, k), matrix.at(row, k));
      }
    }
  }
#pragma omp taskwait
}

template <class Tally>
void subtract_products(block_matrix& matrix, std::size_t k) {
  for (std::size_t row = k + 1; row < matrix.rows(); ++row) {
    if (!matrix.has(row, k)) {
      continue;
    }
    for (std::size_t column = k + 1; column < matrix.rows(); ++column) {
      if (matrix.has(k, column)) {
#pragma omp task default(none) shared(matrix) firstprivate(k, row, column)
        {
          Tally::count();
          subtract_product(matrix.at(row, k), matrix.at(k, column), matrix.made_at(row, column));
        }
      }
    }
  }
#pragma omp taskwait
}

template <class Tally>
void region_factorise(block_matrix& matrix) {
#pragma omp parallel default(none) shared(matrix)
#pragma omp single
  for (std::size_t k = 0; k < matrix.rows(); ++k) {
    factorise(matrix.at(k, k));
    solve_around<Tally>(matrix, k);
    subtract_products<Tally>(matrix, k);
  }
}

class sparselu_kernel final : public omp_kernel {
 public:
  explicit sparselu_kernel(std::size_t rows)
      : input_(seeded_matrix(rows)),
        expected_(input_),
        tasks_(factorise_sequentially(expected_)),
        matrix_(rows) {}

  void prepare() override { matrix_ = input_; }
  double run_ns() override {
    return elapsed_ns([this] { region_factorise<uncounted>(matrix_); });
  }
  void run_counted() override { region_factorise<counted_by_thread>(matrix_); }
  void check() const override { require_none(difference(expected_, matrix_)); }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return tasks_; }

 private:
  block_matrix input_;
  block_matrix expected_;
  std::uint64_t tasks_;
  block_matrix matrix_;
};

}  // namespace

std::unique_ptr<omp_kernel> make_sparselu(const omp_request& request) {
  return std::make_unique<sparselu_kernel>(request.size);
}

}  // namespace fg::bench
