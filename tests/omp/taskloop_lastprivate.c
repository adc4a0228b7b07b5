// lastprivate on taskloop: the value of the last iteration, whatever task and thread ran it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 77 };

int main(void) {
  int last = -1, i = -5, j = -5, array[3] = {0, 0, 0}, untouched = 3;
#pragma omp parallel
#pragma omp single
  for (int grain = 1; grain < 90; grain *= 3) {
#pragma omp taskloop grainsize(grain) lastprivate(last, array)
    for (int k = 0; k < kIterations; ++k) {
      last = k * 10;
      array[0] = array[1] = array[2] = k;
    }
    CHECK_EQUAL((kIterations - 1) * 10, last);
    CHECK_EQUAL(kIterations - 1, array[2]);
#pragma omp taskloop grainsize(grain) lastprivate(i) shared(array)
    for (i = 0; i < kIterations; i += 5) array[0] = 1;
    CHECK_EQUAL(80, i);
#pragma omp taskloop collapse(2) num_tasks(grain) lastprivate(last)
    for (int k = 10; k > 0; --k) {
      for (int m = 0; m < 4; ++m) last = 100 * k + m;
    }
    CHECK_EQUAL(103, last);
    last = -1;
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(untouched) lastprivate(untouched)
  for (j = 0; j < 1; ++j) untouched += 0;
  CHECK_EQUAL(3, untouched);
  return ok();
}
