// LU factorisation of a sparse matrix of blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/bots/application.hpp"
#include "kernels/bots/sparselu_matrix.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// In each step, one task for each block to the right of the diagonal and below it and, after they
/// have finished, one for each product of the two. Source: "Barcelona OpenMP Tasks Suite" (see
/// applications.hpp), all tasks from a single thread; the memory of the blocks is allocated before.
class sparselu final : public application {
 public:
  explicit sparselu(std::size_t rows)
      : input_(seeded_matrix(rows)), expected_(input_), matrix_(rows) {
    factorise_sequentially(expected_);
  }

  void prepare() override { matrix_ = input_; }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    typename Tasks::group step{tasks};
    for (std::size_t k = 0; k < matrix_.rows(); ++k) {
      factorise(matrix_.at(k, k));
      solve_around<Tasks>(step, k);
      step.wait();
      subtract_products<Tasks>(step, k);
      step.wait();
    }
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    return difference(expected_, matrix_);
  }

 private:
  template <task_handle Tasks>
  void solve_around(typename Tasks::group& step, std::size_t k) {
    for (std::size_t column = k + 1; column < matrix_.rows(); ++column) {
      if (matrix_.has(k, column)) {
        step.spawn([&matrix = matrix_, k, column](Tasks) {
          solve_row(matrix.at(k, k), matrix.at(k, column));
        });
      }
    }
    for (std::size_t row = k + 1; row < matrix_.rows(); ++row) {
      if (matrix_.has(row, k)) {
        step.spawn([&matrix = matrix_, k, row](Tasks) {
          solve_column(matrix.at(k, k), matrix.at(row, k));
        });
      }
    }
  }

  template <task_handle Tasks>
  void subtract_products(typename Tasks::group& step, std::size_t k) {
    for (std::size_t row = k + 1; row < matrix_.rows(); ++row) {
      if (!matrix_.has(row, k)) {
        continue;
      }
      for (std::size_t column = k + 1; column < matrix_.rows(); ++column) {
        if (matrix_.has(k, column)) {
          step.spawn([&matrix = matrix_, k, row, column](Tasks) {
            subtract_product(matrix.at(row, k), matrix.at(k, column), matrix.made_at(row, column));
          });
        }
      }
    }
  }

  block_matrix input_;
  block_matrix expected_;
  block_matrix matrix_;
};

}  // namespace fg::bench::bots
