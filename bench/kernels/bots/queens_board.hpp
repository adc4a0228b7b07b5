// Queens on a board, one per row. Compiled once for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace fg::bench {

/// A queen's column in each row so far. Each task carries a board, so it is small.
struct queens_board {
  static constexpr int kMostQueens = 16;
  std::array<std::uint8_t, kMostQueens> columns;
};

/// Whether the queen of `row` attacks no queen of an earlier row. O(row).
[[nodiscard]] bool last_fits(const queens_board& board, int row) noexcept;

/// The result of a search for all placements of `queens`.
struct queens_count {
  std::uint64_t solutions = 0;
  std::uint64_t placements = 0;  ///< queens that fit where they were put, over all rows
};

/// The same search by sets of attacked columns instead of boards. Requires `queens` <= kMostQueens.
[[nodiscard]] queens_count count_queens(int queens) noexcept;

}  // namespace fg::bench
