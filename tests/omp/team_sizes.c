// Teams that grow and shrink from region to region, with tasks in each: the queues of an older,
// larger team must neither keep nor lose tasks.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int largest = omp_get_max_threads();
  const int sizes[] = {1, largest, 2, 1, largest, (largest + 1) / 2, largest, 3, 1, 2};
  for (int round = 0; round < rounds(8); ++round) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      int done = 0, members = 0;
#pragma omp parallel num_threads(sizes[s]) shared(done, members)
      {
        add(&members, 1);
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
          add(&done, 1);
        }
      }
      CHECK_EQUAL(sizes[s], members);
      CHECK_EQUAL(10 * members, done);
    }
  }
  return ok();
}
