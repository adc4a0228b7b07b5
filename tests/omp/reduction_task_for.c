// reduction(task, ...) on for and sections: tasks made in the construct participate.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 64 };

int main(void) {
  int of_for = 1, of_sections = 2, of_dynamic = 3;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : of_for)
    for (int i = 0; i < kIterations; ++i) {
      of_for += 1;
#pragma omp task in_reduction(+ : of_for)
      of_for += i;
    }
#pragma omp for schedule(dynamic, 3) reduction(task, + : of_dynamic)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task in_reduction(+ : of_dynamic)
      of_dynamic += i;
    }
#pragma omp sections reduction(task, + : of_sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : of_sections)
        of_sections += 10;
      }
#pragma omp section
      {
        of_sections += 100;
#pragma omp task in_reduction(+ : of_sections)
        of_sections += 1000;
      }
    }
  }
  CHECK_EQUAL(1 + kIterations + kIterations * (kIterations - 1) / 2, of_for);
  CHECK_EQUAL(3 + kIterations * (kIterations - 1) / 2, of_dynamic);
  CHECK_EQUAL(1112, of_sections);
  return ok();
}
