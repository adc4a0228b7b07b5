// The problem of docs/cluster.md: in how many ways so many queens stand on a board, none attacking another.
#pragma once

// Rows are filled from above: what of the next row is taken, by queens in columns and diagonals.
struct board {
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;

  [[nodiscard]] bool is_free(unsigned square) const {
    return ((columns | left | right) & square) == 0;
  }
  [[nodiscard]] board with(unsigned square) const {
    return {columns | square, (left | square) << 1U, (right | square) >> 1U};
  }
};

inline constexpr int kSize = 10;
inline constexpr unsigned kAll = (1U << kSize) - 1;

inline long placements(const board& above) {
  if (above.columns == kAll) {
    return 1;
  }
  long found = 0;
  for (unsigned square = 1; square <= kAll; square <<= 1U) {
    found += above.is_free(square) ? placements(above.with(square)) : 0;
  }
  return found;
}
