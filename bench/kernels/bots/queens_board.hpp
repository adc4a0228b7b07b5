// Queens on a board, a row each. Compiled once, for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace fg::bench {

/// A queen's column in each row so far. A task carries one; so it is small.
struct queens_board {
  static constexpr int kMostQueens = 16;
  std::array<std::uint8_t, kMostQueens> columns;
};

/// Whether the queen of `row` attacks none of the rows before. O(row).
[[nodiscard]] bool last_fits(const queens_board& board, int row) noexcept;

/// What a search for all placements of `queens` comes to.
struct queens_count {
  std::uint64_t solutions = 0;
  std::uint64_t placements = 0;  ///< queens that fit where they were put, over all rows
};

/// The same search by sets of attacked columns, not by boards. Requires `queens` <= kMostQueens.
[[nodiscard]] queens_count count_queens(int queens) noexcept;

}  // namespace fg::bench
