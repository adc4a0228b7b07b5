// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles/tile_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/isolated_array.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {
namespace {

constexpr std::size_t kIsolation = kIsolationBytes / sizeof(double);

// The elements of a tile, and the padding after it up to the next one.
std::size_t room_for(int rows, int columns) {
  const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  return (elements + kIsolation - 1) / kIsolation * kIsolation;
}

}  // namespace

tile_matrix::tile_matrix(int n, int extent, part kept)
    : n_{n},
      extent_{extent},
      side_{static_cast<std::uint32_t>((n + extent - 1) / extent)},
      kept_{kept} {
  std::size_t room = 0;
  const auto each_tile = [this](auto visit) {
    for (std::uint32_t row = 0; row < side_; ++row) {
      const std::uint32_t columns = kept_ == part::lower ? row + 1 : side_;
      for (std::uint32_t column = 0; column < columns; ++column) {
        visit(extent_of(row), extent_of(column));
      }
    }
  };
  each_tile([&room](int rows, int columns) { room += room_for(rows, columns); });
  elements_ = isolated_array<double>(room);
  double* data = elements_.data();
  each_tile([&](int rows, int columns) {
    tiles_.push_back({.data = data, .rows = rows, .columns = columns});
    data += room_for(rows, columns);
  });
}

void tile_matrix::copy_from(std::span<const double> whole) {
  const auto n = static_cast<std::size_t>(n_);
  const auto extent = static_cast<std::size_t>(extent_);
  std::size_t row = 0;
  std::size_t column = 0;
  for (const tile& to : tiles_) {
    const auto rows = static_cast<std::size_t>(to.rows);
    for (std::size_t j = 0; j < static_cast<std::size_t>(to.columns); ++j) {
      const auto from = whole.subspan((column * extent + j) * n + row * extent, rows);
      std::ranges::copy(from, to.data + j * rows);
    }
    if (++column == (kept_ == part::lower ? row + 1 : side_)) {
      column = 0;
      ++row;
    }
  }
}

int tile_matrix::extent_of(std::uint32_t place) const noexcept {
  return std::min(extent_, n_ - static_cast<int>(place) * extent_);
}

double greatest_difference(const tile_matrix& one, const tile_matrix& other) {
  double greatest = 0;
  for (std::size_t i = 0; i < one.elements().size(); ++i) {
    const double difference = std::abs(one.elements()[i] - other.elements()[i]);
    if (std::isnan(difference)) {
      return std::numeric_limits<double>::infinity();
    }
    greatest = std::max(greatest, difference);
  }
  return greatest;
}

}  // namespace fg::bench::tiles
