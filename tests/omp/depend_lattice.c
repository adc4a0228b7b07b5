// A two-dimensional wave front: each cell depends on its upper and left neighbour and computes a
// binomial coefficient from them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kSide = 24 };

int main(void) {
  static unsigned cell[kSide][kSide];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      if (i == 0 || j == 0) {
#pragma omp task depend(out : cell[i][j])
        cell[i][j] = 1;
      } else {
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j])
        cell[i][j] = cell[i - 1][j] + cell[i][j - 1];
      }
    }
  }
  static unsigned expected[kSide][kSide];
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      expected[i][j] = i == 0 || j == 0 ? 1 : expected[i - 1][j] + expected[i][j - 1];
      CHECK_EQUAL(expected[i][j], cell[i][j]);
    }
  }
  return ok();
}
