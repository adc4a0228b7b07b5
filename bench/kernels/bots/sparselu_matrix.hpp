// A sparse matrix of dense blocks, and the block operations of an LU factorisation. Compiled once
// for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fg::bench {

inline constexpr std::size_t kBlockRows = 20;

/// Row-major.
struct alignas(64) lu_block {
  std::array<float, kBlockRows * kBlockRows> values;
};

/// A square of blocks, some of which are absent: all zeros. Several threads may use the blocks, but
/// only one thread at a time may use a block that is changed.
class block_matrix {
 public:
  /// A matrix whose blocks are all absent. Allocates the memory of all blocks.
  explicit block_matrix(std::size_t rows);

  /// The number of rows of blocks.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool has(std::size_t row, std::size_t column) const noexcept {
    return is_present_[row * rows_ + column] != 0;
  }
  /// Requires that the block is present.
  [[nodiscard]] lu_block& at(std::size_t row, std::size_t column) noexcept {
    return blocks_[row * rows_ + column];
  }
  [[nodiscard]] const lu_block& at(std::size_t row, std::size_t column) const noexcept {
    return blocks_[row * rows_ + column];
  }
  /// The same block; an absent one becomes present, filled with zeros.
  [[nodiscard]] lu_block& made_at(std::size_t row, std::size_t column) noexcept;

 private:
  std::size_t rows_;
  std::vector<lu_block> blocks_;
  std::vector<std::uint8_t> is_present_;  // a byte each: threads change neighbours at once
};

/// A matrix with the suite's pattern of present blocks and values of our own, the same each time.
[[nodiscard]] block_matrix seeded_matrix(std::size_t rows);

/// Replaces a diagonal block by its factors: L without its ones, and U.
void factorise(lu_block& diagonal) noexcept;
/// A block to the right of the diagonal: multiplies the inverse of L from the left.
void solve_row(const lu_block& diagonal, lu_block& right) noexcept;
/// A block below the diagonal: multiplies the inverse of U from the right.
void solve_column(const lu_block& diagonal, lu_block& below) noexcept;
/// `inner` -= `below` * `right`.
void subtract_product(const lu_block& below, const lu_block& right, lu_block& inner) noexcept;

/// Factorises without tasks. Returns the number of calls to functions other than `factorise`.
std::uint64_t factorise_sequentially(block_matrix& matrix);

/// Nothing if the two have the same blocks, bit for bit; else what differs.
[[nodiscard]] std::optional<std::string> difference(const block_matrix& expected,
                                                    const block_matrix& found);

}  // namespace fg::bench
