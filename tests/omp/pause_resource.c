// omp_pause_resource_all between regions: the runtime ends its threads; the next region, with
// tasks, starts new ones.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int tasks(void) {
  int done = 0;
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  return done;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    CHECK_EQUAL(20 * omp_get_max_threads(), tasks());
    CHECK_EQUAL(0, omp_pause_resource_all(round == 1 ? omp_pause_hard : omp_pause_soft));
  }
  CHECK_EQUAL(20 * omp_get_max_threads(), tasks());
  return ok();
}
