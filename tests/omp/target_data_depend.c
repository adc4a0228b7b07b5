// Target constructs that move data and depend on tasks: each runs after the task before it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLinks = 30 };

int main(void) {
  int x = 0, tasks = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kLinks; ++i) {
#pragma omp task depend(inout : x) shared(x, tasks)
      {
        sched_yield();
        CHECK_EQUAL(i, tasks);
        tasks = i + 1;
        x = i;
      }
#pragma omp target enter data map(to : x) depend(inout : x)
      CHECK_EQUAL(i + 1, tasks);
#pragma omp task depend(inout : x) shared(x)
      x += 1;
#pragma omp target update to(x) depend(in : x)
      CHECK_EQUAL(i + 1, x);
#pragma omp task depend(inout : x) shared(x)
      x += 1;
#pragma omp target exit data map(from : x) nowait depend(inout : x)
#pragma omp target update from(x) nowait depend(inout : x)
    }
#pragma omp taskwait
    CHECK_EQUAL(kLinks + 1, x);
  }
  CHECK_EQUAL(kLinks, tasks);
  return ok();
}
