// reduction on for, sections and parallel while tasks are pending: both come out right.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

int main(void) {
  const int threads = omp_get_max_threads();
  int tasks = 0, members = 0;
  long sum = 0, product = 1;
#pragma omp parallel reduction(+ : members)
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(tasks)
      add(&tasks, 1);
      sum += i;
    }
    CHECK_EQUAL(kIterations * (kIterations - 1) / 2, sum);
    CHECK_EQUAL(kIterations, value_of(&tasks));
#pragma omp barrier
#pragma omp sections reduction(* : product)
    {
#pragma omp section
      {
#pragma omp task shared(tasks)
        add(&tasks, 1);
        product *= 3;
      }
#pragma omp section
      product *= 5;
    }
    CHECK_EQUAL(15, product);
    CHECK_EQUAL(kIterations + 1, value_of(&tasks));
#pragma omp barrier
#pragma omp task shared(tasks)
    add(&tasks, 1);
    members += 1;
  }
  CHECK_EQUAL(threads, members);
  CHECK_EQUAL(kIterations + 1 + threads, tasks);
  return ok();
}
