// A tile algorithm as data: the kernel calls and their tiles, in program order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fg::bench::tiles {

/// What a task computes, by the names of BLAS and LAPACK: C is its target, A and B are tiles that
/// it reads, L is a lower triangle that it reads. Only the lower triangle of a target on the
/// diagonal is accessed.
enum class kernel : std::uint8_t {
  potrf,  // C := the Cholesky factor of C
  trsm,   // C := C L^-T
  syrk,   // C := C - A A^T
  gemm,   // C := C - A B^T
};

/// The number of tiles that a kernel reads besides its target.
[[nodiscard]] constexpr std::size_t operands_of(kernel what) noexcept {
  return what == kernel::potrf ? 0 : what == kernel::gemm ? 2 : 1;
}

/// A column-major part of a matrix whose columns are `rows` elements apart.
struct tile {
  double* data;
  int rows;
  int columns;
};

/// A kernel call. Tiles are indices into `program::tiles`.
struct task {
  kernel what;
  std::uint32_t target;                    ///< read and written
  std::array<std::uint32_t, 2> operand{};  ///< read; as many as `operands_of(what)`

  [[nodiscard]] std::span<const std::uint32_t> operands() const noexcept {
    return std::span{operand}.first(operands_of(what));
  }
  bool operator==(const task&) const = default;
};

/// The result is right if the tasks run in this order, or in any other that keeps the order of each
/// two tasks of which one writes a tile that the other reads or writes.
struct program {
  std::vector<tile> tiles;
  std::vector<task> tasks;
};

/// The index of the tile in this row and column, from 0, among those of the lower triangle, row by
/// row. Requires `column` <= `row`.
[[nodiscard]] constexpr std::uint32_t lower_place(std::uint32_t row,
                                                  std::uint32_t column) noexcept {
  return row * (row + 1) / 2 + column;
}

/// The tasks of the Cholesky factorisation of a matrix with `side` tiles per side, whose lower
/// tiles are the program's, by `lower_place`. Right-looking: it factors a column of tiles, then
/// updates everything to the right. That is more parallel than the left-looking form, whose updates
/// of a tile all come right before its own step. In PLASMA's order (pdpotrf; J. Dongarra et al.,
/// PLASMA, ACM TOMS 45(2), 2019).
[[nodiscard]] std::vector<task> cholesky_tasks(std::uint32_t side);

/// The tasks of C := C - A A^T, square matrices with `side` tiles per side: the lower tiles of C by
/// `lower_place`, then all of A, row by row. One tile of C at a time, each a chain of `side`
/// updates, as in PLASMA (pdsyrk).
[[nodiscard]] std::vector<task> syrk_tasks(std::uint32_t side);

}  // namespace fg::bench::tiles
