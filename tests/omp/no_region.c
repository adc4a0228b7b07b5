// Every task construct outside any region: the implicit team of one.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  CHECK_EQUAL(144, fib(12));

  int x = 0, y = 0, group = 0, loop = 0, after = 0;
#pragma omp task depend(out : x) shared(x)
  x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
  y = x + 1;
#pragma omp taskwait depend(in : y)
  CHECK_EQUAL(2, y);

#pragma omp taskgroup
  {
#pragma omp task shared(group)
    {
#pragma omp task shared(group)
      add(&group, 1);
    }
  }
  CHECK_EQUAL(1, group);

#pragma omp taskloop shared(loop) grainsize(3)
  for (int i = 0; i < 10; ++i) add(&loop, i);
  CHECK_EQUAL(45, loop);

  // Between two regions, too.
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(after)
    add(&after, 1);
  }
#pragma omp task shared(after)
  add(&after, 1);
#pragma omp taskyield
#pragma omp taskwait
  CHECK_EQUAL(2, after);
  return ok();
}
