// A square matrix stored tile by tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/isolated_array.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {

/// Which tiles are stored, each of them whole.
enum class part : std::uint8_t { lower, all };

/// A square matrix of `n` rows in tiles of `extent` rows and columns; those in the last row and
/// column are smaller if `extent` does not divide `n`. Tiles are stored row by row, each on cache
/// lines of its own.
class tile_matrix {
 public:
  tile_matrix() = default;
  /// A matrix of zeros. Requires that `n` and `extent` are at least 1. Throws std::bad_alloc.
  tile_matrix(int n, int extent, part kept);

  /// Tiles per side.
  [[nodiscard]] std::uint32_t side() const noexcept { return side_; }
  /// In storage order.
  [[nodiscard]] std::span<const tile> tiles() const noexcept { return tiles_; }
  /// Including the padding between the tiles, which stays zero.
  [[nodiscard]] std::span<double> elements() noexcept { return elements_.span(); }
  [[nodiscard]] std::span<const double> elements() const noexcept { return elements_.span(); }

  /// Copies the elements of the tiles from a whole column-major matrix.
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

/// The greatest difference of two matrices of the same layout; infinite if any element is NaN.
[[nodiscard]] double greatest_difference(const tile_matrix& one, const tile_matrix& other);

}  // namespace fg::bench::tiles
