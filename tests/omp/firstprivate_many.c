// Thirty firstprivate scalars of mixed types in one task, in another order than their sizes.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100 };

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    char c0 = (char)(i % 50), c1 = 1, c2 = 2, c3 = 3, c4 = 4;
    short s0 = (short)i, s1 = 11, s2 = 12, s3 = 13, s4 = 14;
    int i0 = i, i1 = 21, i2 = 22, i3 = 23, i4 = 24;
    long l0 = i, l1 = 31, l2 = 32, l3 = 33, l4 = 34;
    float f0 = (float)i, f1 = 41, f2 = 42, f3 = 43, f4 = 44;
    double d0 = i, d1 = 51, d2 = 52, d3 = 53, d4 = 54;
    long double e0 = i;
#pragma omp task shared(done) firstprivate(c0, d0, s0, l0, i0, f0, c1, d1, s1, l1, i1, f1, c2, d2, \
                                               s2, l2, i2, f2, c3, d3, s3)                         \
    firstprivate(l3, i3, f3, c4, d4, s4, l4, i4, f4, e0)
    {
      CHECK_EQUAL(i % 50, c0);
      CHECK_EQUAL(1 + 2 + 3 + 4, c1 + c2 + c3 + c4);
      CHECK_EQUAL(i + 11 + 12 + 13 + 14, s0 + s1 + s2 + s3 + s4);
      CHECK_EQUAL(i + 21 + 22 + 23 + 24, i0 + i1 + i2 + i3 + i4);
      CHECK_EQUAL(i + 31 + 32 + 33 + 34, l0 + l1 + l2 + l3 + l4);
      CHECK_EQUAL(i + 41 + 42 + 43 + 44, f0 + f1 + f2 + f3 + f4);
      CHECK_EQUAL(i + 51 + 52 + 53 + 54, d0 + d1 + d2 + d3 + d4);
      CHECK(e0 == i);
      add(&done, 1);
    }
    c0 = 0, s0 = 0, i0 = 0, l0 = 0, f0 = 0, d0 = 0, e0 = 0;
    CHECK_EQUAL(0, c0 + s0 + i0 + l0);
    CHECK(f0 == d0 && d0 == (double)e0);
  }
  CHECK_EQUAL(kTasks, done);
  return ok();
}
