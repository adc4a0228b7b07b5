// reduction(task, +) on loops over unsigned 64-bit counters, for which gcc's runtime has entry
// points of their own: dynamic and ordered; and on sections.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 300 };

int main(int argc, char** argv) {
  (void)argv;
  const unsigned long long iterations = (unsigned long long)(kIterations + argc - 1);
  long dynamic = 0, ordered = 0, sections = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) reduction(task, + : dynamic)
    for (unsigned long long i = 0; i < iterations; ++i) {
#pragma omp task in_reduction(+ : dynamic)
      dynamic += 1;
    }
#pragma omp for ordered schedule(dynamic) reduction(task, + : ordered)
    for (unsigned long long i = 0; i < iterations; ++i) {
#pragma omp ordered
      {
#pragma omp task in_reduction(+ : ordered)
        ordered += 1;
      }
    }
#pragma omp sections reduction(task, + : sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : sections)
        sections += 1;
      }
#pragma omp section
      {
#pragma omp task in_reduction(+ : sections)
        sections += 2;
      }
    }
  }
  CHECK_EQUAL(kIterations, dynamic);
  CHECK_EQUAL(kIterations, ordered);
  CHECK_EQUAL(3, sections);
  return ok();
}
