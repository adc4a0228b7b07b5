// Untied tasks: their waits must end, too, and their frames must survive them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static long fib(int n) {
  long a = -1, b = -1;
  const long keep = 3L * n;
  if (n < 2) return n;
#pragma omp task untied shared(a)
  a = fib(n - 1);
#pragma omp task untied shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  CHECK_EQUAL(3L * n, keep);
  return a + b;
}

int main(void) {
  long got = 0;
#pragma omp parallel
#pragma omp single
  got = fib(13);
  CHECK_EQUAL(233, got);
  return ok();
}
