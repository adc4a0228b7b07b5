// Dependences order siblings only: a task that has x as inout may make, and wait for, children that
// have x too, and they are ordered among themselves.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 30, kChildren = 5 };

int main(void) {
  int x = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : x) shared(x)
    {
      CHECK_EQUAL(i * kChildren, x);
      for (int j = 0; j < kChildren; ++j) {
#pragma omp task depend(inout : x) shared(x)
        {
          CHECK_EQUAL(i * kChildren + j, x);
          ++x;
        }
      }
#pragma omp taskwait
    }
  }
  CHECK_EQUAL(kTasks * kChildren, x);
  return ok();
}
