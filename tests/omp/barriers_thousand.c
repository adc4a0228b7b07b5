// A thousand barriers with tasks in between: none lets a thread through early, and none hangs.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int all = rounds(1000);
  const int threads = omp_get_max_threads();
  int done = 0;
#pragma omp parallel
  for (int round = 0; round < all; ++round) {
#pragma omp task shared(done)
    add(&done, 1);
#pragma omp barrier
    CHECK_EQUAL((round + 1) * threads, value_of(&done));
#pragma omp barrier
  }
  return ok();
}
