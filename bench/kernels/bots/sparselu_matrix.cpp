// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/sparselu_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>

namespace fg::bench {

namespace {

constexpr std::size_t kRows = kBlockRows;

// What the suite's generator leaves out: odd rows and columns of blocks, and of the even ones the
// off-diagonal blocks whose lower index is not a multiple of three. Never the three middle
// diagonals.
bool is_absent(std::size_t row, std::size_t column) {
  const bool near = row == column || row + 1 == column || column + 1 == row;
  if (near) {
    return false;
  }
  return row % 2 == 1 || column % 2 == 1 || std::min(row, column) % 3 != 0;
}

// Compares bits: as numbers, -0 would equal 0, and NaN would not equal itself.
auto bits_of(const lu_block& block) {
  return std::bit_cast<std::array<std::uint32_t, kRows * kRows>>(block.values);
}

}  // namespace

block_matrix::block_matrix(std::size_t rows)
    : rows_(rows), blocks_(rows * rows), is_present_(rows * rows) {
  for (lu_block& block : blocks_) {  // the result shows whether a block was used before it was made
    block.values.fill(std::numeric_limits<float>::quiet_NaN());
  }
}

lu_block& block_matrix::made_at(std::size_t row, std::size_t column) noexcept {
  lu_block& block = at(row, column);
  std::uint8_t& is_present = is_present_[row * rows_ + column];
  if (is_present == 0) {
    block.values.fill(0);
    is_present = 1;
  }
  return block;
}

block_matrix seeded_matrix(std::size_t rows) {
  constexpr std::uint32_t kSeed = 2009;
  // The factorisation does not pivot, so each diagonal block is made diagonally dominant.
  constexpr float kDiagonal = 20;
  std::mt19937 random{kSeed};
  block_matrix matrix{rows};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < rows; ++column) {
      if (is_absent(row, column)) {
        continue;
      }
      lu_block& block = matrix.made_at(row, column);
      for (float& value : block.values) {  // 24 bits, -1 to 1: exact
        value =
            static_cast<float>(static_cast<std::int32_t>(random() >> 8U) - (1 << 23)) * 0x1p-23F;
      }
      if (row == column) {
        for (std::size_t i = 0; i < kRows; ++i) {
          block.values[i * kRows + i] += kDiagonal;
        }
      }
    }
  }
  return matrix;
}

void factorise(lu_block& diagonal) noexcept {
  auto& a = diagonal.values;
  for (std::size_t k = 0; k < kRows; ++k) {
    for (std::size_t i = k + 1; i < kRows; ++i) {
      a[i * kRows + k] /= a[k * kRows + k];
      for (std::size_t j = k + 1; j < kRows; ++j) {
        a[i * kRows + j] -= a[i * kRows + k] * a[k * kRows + j];
      }
    }
  }
}

void solve_row(const lu_block& diagonal, lu_block& right) noexcept {
  const auto& a = diagonal.values;
  auto& b = right.values;
  for (std::size_t k = 0; k < kRows; ++k) {
    for (std::size_t i = k + 1; i < kRows; ++i) {
      for (std::size_t j = 0; j < kRows; ++j) {
        b[i * kRows + j] -= a[i * kRows + k] * b[k * kRows + j];
      }
    }
  }
}

void solve_column(const lu_block& diagonal, lu_block& below) noexcept {
  const auto& a = diagonal.values;
  auto& b = below.values;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kRows; ++k) {
      b[i * kRows + k] /= a[k * kRows + k];
      for (std::size_t j = k + 1; j < kRows; ++j) {
        b[i * kRows + j] -= b[i * kRows + k] * a[k * kRows + j];
      }
    }
  }
}

void subtract_product(const lu_block& below, const lu_block& right, lu_block& inner) noexcept {
  const auto& a = below.values;
  const auto& b = right.values;
  for (std::size_t i = 0; i < kRows; ++i) {
    // A row that the compiler can keep in registers.
    std::array<float, kRows> sum;
    std::memcpy(sum.data(), &inner.values[i * kRows], sizeof sum);
    for (std::size_t k = 0; k < kRows; ++k) {
      for (std::size_t j = 0; j < kRows; ++j) {
        sum[j] -= a[i * kRows + k] * b[k * kRows + j];
      }
    }
    std::memcpy(&inner.values[i * kRows], sum.data(), sizeof sum);
  }
}

std::uint64_t factorise_sequentially(block_matrix& matrix) {
  std::uint64_t calls = 0;
  const std::size_t rows = matrix.rows();
  for (std::size_t k = 0; k < rows; ++k) {
    factorise(matrix.at(k, k));
    for (std::size_t other = k + 1; other < rows; ++other) {
      if (matrix.has(k, other)) {
        solve_row(matrix.at(k, k), matrix.at(k, other));
        ++calls;
      }
      if (matrix.has(other, k)) {
        solve_column(matrix.at(k, k), matrix.at(other, k));
        ++calls;
      }
    }
    for (std::size_t row = k + 1; row < rows; ++row) {
      for (std::size_t column = k + 1; column < rows; ++column) {
        if (matrix.has(row, k) && matrix.has(k, column)) {
          subtract_product(matrix.at(row, k), matrix.at(k, column), matrix.made_at(row, column));
          ++calls;
        }
      }
    }
  }
  return calls;
}

std::optional<std::string> difference(const block_matrix& expected, const block_matrix& found) {
  for (std::size_t row = 0; row < expected.rows(); ++row) {
    for (std::size_t column = 0; column < expected.rows(); ++column) {
      const bool is_there = expected.has(row, column);
      if (is_there != found.has(row, column) ||
          (is_there && bits_of(expected.at(row, column)) != bits_of(found.at(row, column)))) {
        return "block " + std::to_string(row) + ", " + std::to_string(column) +
               " is not as without tasks";
      }
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
