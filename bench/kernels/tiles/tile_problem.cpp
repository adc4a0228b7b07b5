// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles/tile_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "kernels/tiles/blas.hpp"
#include "kernels/tiles/tile_matrix.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {
namespace {

constexpr std::uint64_t kSeed = 2024;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// A whole column-major matrix of numbers from -1/2 to 1/2.
std::vector<double> random_matrix(std::size_t n, std::mt19937_64& random) {
  std::vector<double> elements(n * n);
  std::ranges::generate(elements,
                        [&random] { return static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5; });
  return elements;
}

// Of the lower triangle.
double greatest_row_sum(std::span<const double> whole, std::size_t n) {
  std::vector<double> sums(n);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column; row < n; ++row) {
      sums[row] += std::abs(whole[column * n + row]);
    }
  }
  return std::ranges::max(sums);
}

tile_matrix in_tiles(std::span<const double> whole, int n, int extent, part kept) {
  tile_matrix made(n, extent, kept);
  made.copy_from(whole);
  return made;
}

void add_tiles(program& steps, const tile_matrix& matrix) {
  steps.tiles.insert(steps.tiles.end(), matrix.tiles().begin(), matrix.tiles().end());
}

}  // namespace

void problem::restore() {
  std::ranges::copy(std::as_const(input).elements(), result.elements().begin());
}

problem make_cholesky(int n, int extent) {
  load_blas();
  std::mt19937_64 random(kSeed);
  const auto rows = static_cast<std::size_t>(n);
  std::vector<double> whole = random_matrix(rows, random);
  for (std::size_t at = 0; at < rows; ++at) {
    whole[at * rows + at] = n;
  }
  problem made;
  made.input = in_tiles(whole, n, extent, part::lower);
  made.result = in_tiles(whole, n, extent, part::lower);
  factor_whole(whole, n);
  made.expected = in_tiles(whole, n, extent, part::lower);
  made.allowed = 16 * (n + 1) * kEpsilon * greatest_row_sum(whole, rows);
  made.steps.tasks = cholesky_tasks(made.result.side());
  add_tiles(made.steps, made.result);
  return made;
}

problem make_syrk(int n, int extent) {
  load_blas();
  std::mt19937_64 random(kSeed);
  const auto rows = static_cast<std::size_t>(n);
  const std::vector<double> a = random_matrix(rows, random);
  std::vector<double> c = random_matrix(rows, random);
  problem made;
  made.input = in_tiles(c, n, extent, part::lower);
  made.result = in_tiles(c, n, extent, part::lower);
  made.operand = in_tiles(a, n, extent, part::all);
  update_whole(a, c, n);
  made.expected = in_tiles(c, n, extent, part::lower);
  made.allowed = (n + 1) * kEpsilon * (0.5 + 0.25 * n);
  made.steps.tasks = syrk_tasks(made.result.side());
  add_tiles(made.steps, made.result);
  add_tiles(made.steps, made.operand);
  return made;
}

}  // namespace fg::bench::tiles
