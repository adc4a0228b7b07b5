// Backtracking: every task has the board so far as a firstprivate array; the count is atomic.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kQueens = 8 };

static int solutions;

static int attacked(const char* board, int row, int column) {
  for (int r = 0; r < row; ++r) {
    const int d = board[r] - column;
    if (d == 0 || d == row - r || d == r - row) return 1;
  }
  return 0;
}

static void place(const char* before, int row) {
  if (row == kQueens) {
#pragma omp atomic
    ++solutions;
    return;
  }
  char board[kQueens];
  memcpy(board, before, sizeof board);
  for (int column = 0; column < kQueens; ++column) {
    if (attacked(board, row, column)) continue;
    board[row] = (char)column;
#pragma omp task firstprivate(board)
    place(board, row + 1);
  }
#pragma omp taskwait
}

int main(void) {
  const char board[kQueens] = {0};
#pragma omp parallel
#pragma omp single
  place(board, 0);
  CHECK_EQUAL(92, solutions);
  return ok();
}
