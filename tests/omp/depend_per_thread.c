// Every thread of the team builds its own graph on the same addresses: implicit tasks are different
// parents, so the graphs do not order each other; locks keep the shared word right.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLinks = 60 };

int main(void) {
  int shared_address = 0, sum = 0;
#pragma omp parallel
  {
    int mine = 0;
    for (int i = 0; i < kLinks; ++i) {
#pragma omp task depend(inout : shared_address) shared(mine, sum)
      {
        CHECK_EQUAL(i, mine);
        ++mine;
        add(&sum, 1);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(kLinks, mine);
  }
  CHECK_EQUAL(kLinks * omp_get_max_threads(), sum);
  return ok();
}
