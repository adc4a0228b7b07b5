// Tasks that open parallel regions, with tasks inside, between their own children and the taskwait.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  int inner = 0, children = 0, tasks = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 12; ++i) {
#pragma omp task shared(inner, children, tasks)
    {
      int mine = 0, below = 0;
#pragma omp task shared(below)
      add(&below, 1);
#pragma omp parallel num_threads(2) shared(mine)
      {
        CHECK_EQUAL(2, omp_get_num_threads());
#pragma omp single
        for (int j = 0; j < 10; ++j) {
#pragma omp task shared(mine)
          add(&mine, 1);
        }
      }
      CHECK_EQUAL(10, mine);
#pragma omp taskwait
      CHECK_EQUAL(1, value_of(&below));
      add(&inner, mine);
      add(&children, below);
      add(&tasks, 1);
    }
  }
  CHECK_EQUAL(12, tasks);
  CHECK_EQUAL(12, children);
  CHECK_EQUAL(120, inner);
  return ok();
}
