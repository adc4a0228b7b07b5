// A chain of inout tasks for which only the region's end waits, and one under a taskgroup: each
// task sees its predecessor's value.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLinks = 300 };

static void chain(int* x) {
  for (int i = 0; i < kLinks; ++i) {
#pragma omp task depend(inout : *x) firstprivate(x)
    {
      CHECK_EQUAL(i, *x);
      *x = i + 1;
    }
  }
}

int main(void) {
  int awaited = 0, left = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    chain(&awaited);
    CHECK_EQUAL(kLinks, awaited);
    chain(&left);
  }
  CHECK_EQUAL(kLinks, left);
  return ok();
}
