// Regions that are a loop or sections at the same time, under every schedule, with tasks in them:
// one entry point each in gcc's runtime.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 1000 };

static int visits[kIterations];

static void visit(int i) {
#pragma omp task firstprivate(i)
  add(&visits[i], 1);
}

int main(void) {
  int rounds_done = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(monotonic : dynamic, 3)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(monotonic : guided)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(monotonic : runtime)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
#pragma omp parallel for schedule(nonmonotonic : runtime)
  for (int i = 0; i < kIterations; ++i) visit(i);
  ++rounds_done;
  for (int i = 0; i < kIterations; ++i) CHECK_EQUAL(rounds_done, visits[i]);

  int sections = 0;
#pragma omp parallel sections shared(sections)
  {
#pragma omp section
    {
#pragma omp task shared(sections)
      add(&sections, 1);
    }
#pragma omp section
    {
#pragma omp task shared(sections)
      add(&sections, 1);
    }
  }
  CHECK_EQUAL(2, sections);
  return ok();
}
