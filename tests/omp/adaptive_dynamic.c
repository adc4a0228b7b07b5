// Where OpenMP promises the number of threads regions have it, always; where dyn-var is true, those that
// lose by it end with one thread.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int kept = 0;
#pragma omp threadprivate(kept)

// The same region in all cases.
static int in_region(int asked) {
  int threads = 0;
#pragma omp parallel num_threads(asked)
#pragma omp master
  threads = omp_get_num_threads();
  return threads;
}

static void threads_are_as_asked(void) {
  for (int i = 0; i < 20000; ++i) CHECK_EQUAL(2, in_region(2));
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(3, in_region(3));
}

int main(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
  kept = omp_get_thread_num() + 1;
  threads_are_as_asked();
#pragma omp parallel num_threads(2)
  CHECK_EQUAL(omp_get_thread_num() + 1, kept);

  omp_set_dynamic(1);
  for (int alone = 0; alone < 90;) {
    alone = 0;
    for (int i = 0; i < 100; ++i) {
      const int threads = in_region(2);
      CHECK(threads == 1 || threads == 2);
      alone += threads == 1;
    }
  }
  omp_set_dynamic(0);
  threads_are_as_asked();
  return ok();
}
