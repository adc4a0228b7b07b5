// Recursion with task and taskwait, the results through shared variables of the parent's frame.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
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
