// if(0): an undeferred task finishes before its parent continues, on the parent's thread; its own
// children are still deferred.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static long fib(int n) {
  long a = -1, b = -1;
  if (n < 2) return n;
  const int thread = omp_get_thread_num();
#pragma omp task shared(a) if (n % 2 == 0)
  {
    if (n % 2 == 1) CHECK_EQUAL(thread, omp_get_thread_num());
    a = fib(n - 1);
  }
  if (n % 2 == 1) CHECK(a >= 0);
#pragma omp task shared(b) if (0)
  {
    CHECK_EQUAL(thread, omp_get_thread_num());
    b = fib(n - 2);
  }
  CHECK(b >= 0);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  long got = 0;
#pragma omp parallel
#pragma omp single
  got = fib(17);
  CHECK_EQUAL(1597, got);
  return ok();
}
