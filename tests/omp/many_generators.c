// Every thread of the team makes tasks at once, and tasks make more: each is run exactly once.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kEach = 100, kChildren = 3 };

int main(void) {
  const int threads = omp_get_max_threads();
  int* runs = (int*)calloc((size_t)threads * kEach * (kChildren + 1), sizeof *runs);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    CHECK_EQUAL(threads, omp_get_num_threads());
    for (int i = 0; i < kEach; ++i) {
      int* mine = runs + (me * kEach + i) * (kChildren + 1);
#pragma omp task firstprivate(mine)
      {
        for (int j = 1; j <= kChildren; ++j) {
#pragma omp task firstprivate(mine)
          add(mine + j, 1);
        }
        add(mine, 1);
      }
    }
  }
  for (int i = 0; i < threads * kEach * (kChildren + 1); ++i) CHECK_EQUAL(1, runs[i]);
  free(runs);
  return ok();
}
