// Dependence objects: made, updated and destroyed, alone and beside ordinary items.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40 };

int main(void) {
  int x = 0, y = 0, reads = 0;
  omp_depend_t on_x, on_y;
#pragma omp depobj(on_x) depend(inout : x)
#pragma omp depobj(on_y) depend(inout : y)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(depobj : on_x) shared(x)
      {
        CHECK_EQUAL(i, x);
        ++x;
      }
#pragma omp task depend(depobj : on_y) depend(in : x) shared(x, y)
      {
        CHECK_EQUAL(i + 1, x);
        CHECK_EQUAL(i, y);
        ++y;
      }
    }
#pragma omp depobj(on_x) update(in)
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(depobj : on_x, on_y) shared(x, reads)
      {
        CHECK_EQUAL(kTasks, x);
        ++reads;  // on_y is still inout
      }
    }
  }
#pragma omp depobj(on_x) destroy
#pragma omp depobj(on_y) destroy
  CHECK_EQUAL(kTasks, y);
  CHECK_EQUAL(kTasks, reads);
  return ok();
}
