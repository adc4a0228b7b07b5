// strict: every chunk has exactly g iterations except the last one, and n tasks are n tasks. A
// chunk's first iteration sees an unmodified firstprivate mark.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

static int starts[kIterations], runs[kIterations];

static void visit(int i, int* mark) {
  if (*mark == 0) starts[i] = 1;
  *mark = 1;
  add(&runs[i], 1);
}

static int chunks(void) {
  int count = 0;
  for (int i = 0; i < kIterations; ++i) {
    CHECK_EQUAL(1, runs[i]);
    count += starts[i];
  }
  return count;
}

static void forget(void) {
  memset(starts, 0, sizeof starts);
  memset(runs, 0, sizeof runs);
}

int main(void) {
  int mark = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int size = 1; size < 2 * kIterations; size = 2 * size + 1) {
#pragma omp taskloop grainsize(strict : size) firstprivate(mark)
      for (int i = 0; i < kIterations; ++i) visit(i, &mark);
      CHECK_EQUAL((kIterations + size - 1) / size, chunks());
      for (int i = 0; i < kIterations; ++i) CHECK_EQUAL(i % size == 0, starts[i]);
      forget();
    }
    for (int tasks = 1; tasks < 2 * kIterations; tasks = 2 * tasks + 1) {
#pragma omp taskloop num_tasks(strict : tasks) firstprivate(mark)
      for (int i = 0; i < kIterations; ++i) visit(i, &mark);
      CHECK_EQUAL(tasks < kIterations ? tasks : kIterations, chunks());
      forget();
    }
  }
  return ok();
}
