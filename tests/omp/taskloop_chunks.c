// How taskloop splits a loop: grainsize g gives chunks of g to 2g - 1 iterations, num_tasks n gives
// n chunks; contiguous, each iteration once. A chunk's first iteration sees an unmodified
// firstprivate mark.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

static int starts[kIterations], runs[kIterations];

static void visit(int i, int* mark) {
  if (*mark == 0) starts[i] = 1;
  *mark = 1;
  add(&runs[i], 1);
}

// Checks that each iteration ran once, and counts chunks, the shortest and the longest.
static int chunks(int* shortest, int* longest) {
  int count = 0, length = 0;
  *shortest = kIterations;
  *longest = 0;
  for (int i = 0; i < kIterations; ++i) {
    CHECK_EQUAL(1, runs[i]);
    count += starts[i];
    ++length;
    if (i + 1 == kIterations || starts[i + 1]) {
      if (length < *shortest) *shortest = length;
      if (length > *longest) *longest = length;
      length = 0;
    }
  }
  memset(starts, 0, sizeof starts);
  memset(runs, 0, sizeof runs);
  return count;
}

int main(void) {
  int shortest, longest, mark = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int size = 1; size < 2 * kIterations; size = 2 * size + 1) {
#pragma omp taskloop grainsize(size) firstprivate(mark)
      for (int i = 0; i < kIterations; ++i) visit(i, &mark);
      chunks(&shortest, &longest);
      CHECK(longest < 2 * size);
      CHECK(shortest >= (size < kIterations ? size : kIterations));
    }
    for (int tasks = 1; tasks < 2 * kIterations; tasks = 2 * tasks + 1) {
#pragma omp taskloop num_tasks(tasks) firstprivate(mark)
      for (int i = 0; i < kIterations; ++i) visit(i, &mark);
      CHECK_EQUAL(tasks < kIterations ? tasks : kIterations, chunks(&shortest, &longest));
      CHECK(shortest >= 1);
    }
#pragma omp taskloop firstprivate(mark)
    for (int i = 0; i < kIterations; ++i) visit(i, &mark);
    CHECK(chunks(&shortest, &longest) >= 1);
  }
  return ok();
}
