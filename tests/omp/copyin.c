// copyin of threadprivate data into a region whose tasks read it: the value comes from the
// encountering thread before any task runs.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int table[4];
#pragma omp threadprivate(table)

int main(void) {
  int done = 0;
  for (int round = 0; round < rounds(40); ++round) {
    for (int i = 0; i < 4; ++i) table[i] = 10 * round + i;
#pragma omp parallel copyin(table)
    {
      for (int i = 0; i < 4; ++i) {
#pragma omp task shared(done) firstprivate(round, i)
        {
          CHECK_EQUAL(10 * round + i, table[i]);
          add(&done, 1);
        }
      }
    }
  }
  CHECK_EQUAL(rounds(40) * 4 * omp_get_max_threads(), done);
  return ok();
}
