// A square matrix in tiles that lie one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/isolated_array.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {

/// Which tiles there are, each of them whole.
enum class part : std::uint8_t { lower, all };

/// A square matrix of `n` rows in tiles of `extent` rows and columns, those in the last row and
/// column smaller where `extent` does not divide `n`. Tiles lie row by row, each in cache lines of
/// its own.
class tile_matrix {
 public:
  tile_matrix() = default;
  /// Of zeros. Requires `n` and `extent` of 1 at least. Throws std::bad_alloc.
  tile_matrix(int n, int extent, part kept);

  /// Tiles a side.
  [[nodiscard]] std::uint32_t side() const noexcept { return side_; }
  /// In their order.
  [[nodiscard]] std::span<const tile> tiles() const noexcept { return tiles_; }
  /// What lies between the tiles too, which stays zero.
  [[nodiscard]] std::span<double> elements() noexcept { return elements_.span(); }
  [[nodiscard]] std::span<const double> elements() const noexcept { return elements_.span(); }

  /// Copies the elements of the tiles from a whole matrix, column by column.
  void copy_from(std::span<const double> whole);

 private:
  [[nodiscard]] int extent_of(std::uint32_t place) const noexcept;

  int n_ = 0;
  int extent_ = 0;
  std::uint32_t side_ = 0;
  part kept_ = part::all;
  isolated_array<double> elements_;
  std::vector<tile> tiles_;
};

/// The greatest difference of two matrices of one layout; infinite if there is one that is no
/// number.
[[nodiscard]] double greatest_difference(const tile_matrix& one, const tile_matrix& other);

}  // namespace fg::bench::tiles
