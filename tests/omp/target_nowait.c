// target with nowait and depend, on the host: target tasks and ordinary ones in one graph.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLinks = 30 };

int main(void) {
  int x = 0, target = 0, ordinary = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kLinks; ++i) {
#pragma omp target nowait depend(inout : x) map(tofrom : x, target)
      {
        x += 1;
        target += 1;
      }
#pragma omp task depend(inout : x) shared(x, ordinary)
      {
        CHECK_EQUAL(2 * i + 1, x);
        x += 1;
        ordinary += 1;
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(2 * kLinks, x);
  }
  CHECK_EQUAL(kLinks, target);
  CHECK_EQUAL(kLinks, ordinary);
  return ok();
}
