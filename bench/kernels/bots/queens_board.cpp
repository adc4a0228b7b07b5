// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/queens_board.hpp"

#include <cstddef>
#include <cstdint>

namespace fg::bench {

namespace {

// Bit c of a set is column c of the current row; diagonals move by one column from row to row.
struct attacked {
  std::uint32_t columns = 0;
  std::uint32_t falling = 0;
  std::uint32_t rising = 0;
};

void count_below(int queens, int row, const attacked& taken, queens_count& found) noexcept {
  if (row == queens) {
    ++found.solutions;
    return;
  }
  const std::uint32_t all = (1U << static_cast<unsigned>(queens)) - 1;
  std::uint32_t open = all & ~(taken.columns | taken.falling | taken.rising);
  while (open != 0) {
    const std::uint32_t queen = open & (~open + 1);
    open ^= queen;
    ++found.placements;
    count_below(queens, row + 1,
                {.columns = taken.columns | queen,
                 .falling = (taken.falling | queen) << 1U,
                 .rising = (taken.rising | queen) >> 1U},
                found);
  }
}

}  // namespace

bool last_fits(const queens_board& board, int row) noexcept {
  const int column = board.columns[static_cast<std::size_t>(row)];
  for (int above = 0; above < row; ++above) {
    const int aside = board.columns[static_cast<std::size_t>(above)] - column;
    if (aside == 0 || aside == row - above || aside == above - row) {
      return false;
    }
  }
  return true;
}

queens_count count_queens(int queens) noexcept {
  queens_count found;
  count_below(queens, 0, {}, found);
  return found;
}

}  // namespace fg::bench
