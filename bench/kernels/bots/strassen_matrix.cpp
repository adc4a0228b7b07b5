// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/strassen_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace fg::bench {

namespace {

std::vector<double> applied(const_matrix_view matrix, const std::vector<double>& vector) {
  std::vector<double> result(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const double* const row = matrix.row(i);
    double sum = 0;
    for (std::size_t j = 0; j < matrix.rows; ++j) {
      sum += row[j] * vector[j];
    }
    result[i] = sum;
  }
  return result;
}

// `out` += `left` * `right`.
void add_product_by_rows(matrix_view out, const_matrix_view left,
                         const_matrix_view right) noexcept {
  for (std::size_t i = 0; i < out.rows; ++i) {
    double* const sums = out.row(i);
    const double* const factors = left.row(i);
    for (std::size_t k = 0; k < out.rows; ++k) {
      const double factor = factors[k];
      const double* const row = right.row(k);
      for (std::size_t j = 0; j < out.rows; ++j) {
        sums[j] += factor * row[j];
      }
    }
  }
}

// The same. Three squares of this many rows are 96 KiB.
void add_product(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept {
  constexpr std::size_t kRowsInCache = 64;
  if (out.rows <= kRowsInCache || out.rows % 2 != 0) {
    add_product_by_rows(out, left, right);
    return;
  }
  for (std::size_t down = 0; down < 2; ++down) {
    for (std::size_t across = 0; across < 2; ++across) {
      for (std::size_t inner = 0; inner < 2; ++inner) {
        add_product(out.quarter(down, across), left.quarter(down, inner),
                    right.quarter(inner, across));
      }
    }
  }
}

}  // namespace

square_matrix seeded_square(std::size_t rows, std::uint32_t seed) {
  constexpr std::uint32_t kGreatest = 8;
  std::mt19937 random{seed};
  square_matrix matrix{rows};
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = matrix.view().row(i);
    for (std::size_t j = 0; j < rows; ++j) {
      row[j] = static_cast<double>(random() % (2 * kGreatest + 1)) - kGreatest;
    }
  }
  return matrix;
}

void add(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept {
  for (std::size_t i = 0; i < out.rows; ++i) {
    double* const sum = out.row(i);
    const double* const one = left.row(i);
    const double* const other = right.row(i);
    for (std::size_t j = 0; j < out.rows; ++j) {
      sum[j] = one[j] + other[j];
    }
  }
}

void subtract(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept {
  for (std::size_t i = 0; i < out.rows; ++i) {
    double* const difference = out.row(i);
    const double* const one = left.row(i);
    const double* const other = right.row(i);
    for (std::size_t j = 0; j < out.rows; ++j) {
      difference[j] = one[j] - other[j];
    }
  }
}

void multiply_sequentially(matrix_view out, const_matrix_view left,
                           const_matrix_view right) noexcept {
  for (std::size_t i = 0; i < out.rows; ++i) {
    std::fill_n(out.row(i), out.rows, 0.0);
  }
  add_product(out, left, right);
}

std::optional<std::string> fault_of_product(const_matrix_view left, const_matrix_view right,
                                            const_matrix_view product) {
  constexpr std::uint32_t kSeed = 1977;
  constexpr std::uint32_t kNumbers = 1024;
  constexpr int kVectors = 3;
  std::mt19937 random{kSeed};
  std::vector<double> vector(product.rows);
  for (int i = 0; i < kVectors; ++i) {
    for (double& value : vector) {
      value = static_cast<double>(random() % kNumbers);
    }
    // Integers below 2^53, so that equal means equal: for 8192 rows an entry of the product is at
    // most 8 * 8 * 2^13, times 2^10 times 2^13.
    const std::vector<double> expected = applied(left, applied(right, vector));
    const std::vector<double> found = applied(product, vector);
    for (std::size_t row = 0; row < product.rows; ++row) {
      if (!(found[row] == expected[row])) {
        return "row " + std::to_string(row) + " of the product is wrong";
      }
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
