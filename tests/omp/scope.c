// scope, with a reduction over tasks and with tasks pending at its end.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int threads = omp_get_max_threads();
  int sum = 0, pending = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(task, + : sum)
    {
      sum += 1;
#pragma omp task in_reduction(+ : sum)
      sum += 10;
    }
#pragma omp scope
    {
#pragma omp task shared(pending)
      add(&pending, 1);
    }
    CHECK_EQUAL(omp_get_num_threads(), value_of(&pending));
  }
  CHECK_EQUAL(11 * threads, sum);
  return ok();
}
