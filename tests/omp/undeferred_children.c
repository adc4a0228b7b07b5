// An undeferred task that leaves children: they outlive it, its parent's taskwait does not wait for
// them, and the region's end does.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100 };

int main(void) {
  int bodies = 0, children = 0, order = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task if (0) shared(bodies, children, order)
    {
      CHECK_EQUAL(i, order);
      ++order;
#pragma omp task shared(children)
      add(&children, 1);
      ++bodies;
    }
    CHECK_EQUAL(i + 1, bodies);
  }
  CHECK_EQUAL(kTasks, children);
  return ok();
}
