// GOMP_CPU_AFFINITY: a thread after the other gets the next CPU of the list; where there are more
// threads than CPUs, each CPU has as many as each other, or one more.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("GOMP_CPU_AFFINITY", "%2$d %1$d,%2$d", NULL, argv);
  CHECK_EQUAL(3, omp_get_num_places());
  CHECK_EQUAL(0, find_own_place().place);
  int done = 0;
  const int threads = omp_get_max_threads();
  for (int round = 0; round < 10; ++round) {
    int at[3] = {0, 0, 0};
#pragma omp parallel
    {
      const int place = find_own_place().place;
      if (threads <= 3) CHECK_EQUAL(omp_get_thread_num(), place);
      add(&at[place], 1);
#pragma omp task shared(done)
      add(&done, 1);
    }
    for (int i = 0; i < 3; ++i) CHECK(at[i] == threads / 3 || at[i] == (threads + 2) / 3);
  }
  CHECK_EQUAL(10 * threads, done);
  return ok();
}
