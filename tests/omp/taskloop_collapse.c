// taskloop over two and three collapsed loops, with bounds that do not start at zero and steps
// other than one.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  static int two[12][17], three[4][5][6];
  int outside = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop collapse(2) grainsize(5) shared(two, outside)
    for (int i = 2; i < 12; i += 3) {
      for (int j = 16; j > 0; j -= 2) {
        if (j == 0) add(&outside, 1);
        add(&two[i][j], 1);
      }
    }
#pragma omp taskloop collapse(3) num_tasks(7) shared(three)
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 6; ++k) add(&three[i][j][k], i + j + k);
      }
    }
  }
  CHECK_EQUAL(0, outside);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 17; ++j) {
      CHECK_EQUAL(i % 3 == 2 && j % 2 == 0 && j > 0, two[i][j]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 6; ++k) CHECK_EQUAL(i + j + k, three[i][j][k]);
    }
  }
  return ok();
}
