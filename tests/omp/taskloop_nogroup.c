// nogroup: the loop's tasks are children like others, for taskwait, a taskgroup around and the
// region's end to wait for; without nogroup the loop itself waits, for descendants too.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 60 };

int main(void) {
  int awaited = 0, grouped = 0, left = 0, below = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup grainsize(4) shared(awaited)
    for (int i = 0; i < kIterations; ++i) add(&awaited, 1);
#pragma omp taskwait
    CHECK_EQUAL(kIterations, value_of(&awaited));
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(9) shared(grouped)
      for (int i = 0; i < kIterations; ++i) add(&grouped, 1);
    }
    CHECK_EQUAL(kIterations, value_of(&grouped));
#pragma omp taskloop grainsize(4) shared(below)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(below)
      add(&below, 1);
    }
    CHECK_EQUAL(kIterations, value_of(&below));
#pragma omp taskloop nogroup grainsize(1) shared(left)
    for (int i = 0; i < kIterations; ++i) add(&left, 1);
  }
  CHECK_EQUAL(kIterations, left);
  return ok();
}
