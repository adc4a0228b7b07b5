// Eight times as many threads as OMP_NUM_THREADS says: 512 on two CPUs must progress, in memory
// that grows with their number, not with its square.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/resource.h>

#include "check.h"

enum { kKilobytesEach = 1024 };

int main(void) {
  const int threads = 8 * omp_get_max_threads();
  int members = 0, done = 0, after = 0;
#pragma omp parallel num_threads(threads) shared(members, done, after)
  {
    add(&members, 1);
#pragma omp task shared(done)
    add(&done, 1);
#pragma omp barrier
    CHECK_EQUAL(omp_get_num_threads(), value_of(&done));
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task shared(after)
      add(&after, 1);
    }
  }
  CHECK_EQUAL(threads, members);
  CHECK_EQUAL(100, after);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 100 * 1024 + (long)threads * kKilobytesEach);
  return ok();
}
