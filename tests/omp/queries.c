// What a task may query: level, team size, ancestors, in_parallel, explicit or not.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  int done = 0;
  const int threads = omp_get_max_threads();
#pragma omp parallel
  for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
    {
      CHECK_EQUAL(threads > 1, omp_in_parallel());
      CHECK_EQUAL(1, omp_get_level());
      CHECK_EQUAL(threads > 1, omp_get_active_level());
      CHECK_EQUAL(threads, omp_get_num_threads());
      CHECK_EQUAL(threads, omp_get_team_size(1));
      CHECK_EQUAL(0, omp_get_ancestor_thread_num(0));
      CHECK_EQUAL(omp_get_thread_num(), omp_get_ancestor_thread_num(1));
      CHECK_EQUAL(0, omp_in_final());
      add(&done, 1);
    }
  }
  CHECK_EQUAL(20 * threads, done);
  CHECK_EQUAL(0, omp_get_level());
  return ok();
}
