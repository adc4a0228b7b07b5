// taskloops in the tasks of taskloops, made by every thread of the team.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int threads = omp_get_max_threads();
  int done = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp taskloop grainsize(1) shared(done)
    for (int i = 0; i < 4; ++i) {
#pragma omp taskloop num_tasks(3) shared(done)
      for (int j = 0; j < 12; ++j) add(&done, 1);
    }
#pragma omp single
#pragma omp taskloop grainsize(2) reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
      int inner = 0;
#pragma omp taskloop grainsize(2) reduction(+ : inner)
      for (int j = 0; j <= i; ++j) inner += j;
      sum += inner;
    }
  }
  CHECK_EQUAL(threads * 4 * 12, done);
  CHECK_EQUAL(165, sum);
  return ok();
}
