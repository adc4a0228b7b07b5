// Tasks made inside worksharing loops of every schedule, by whichever thread has the iteration,
// with and without nowait; taskwait in the loop's body.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 60 };

int main(void) {
  int of_static = 0, of_dynamic = 0, of_guided = 0, of_ordered = 0, order = 0, waited = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(of_static)
      add(&of_static, i);
    }
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(of_dynamic)
      add(&of_dynamic, i);
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(of_guided)
      add(&of_guided, i);
    }
    CHECK_EQUAL(kIterations * (kIterations - 1) / 2, value_of(&of_static));
    CHECK_EQUAL(kIterations * (kIterations - 1) / 2, value_of(&of_dynamic));
    CHECK_EQUAL(kIterations * (kIterations - 1) / 2, value_of(&of_guided));
#pragma omp for schedule(dynamic, 2) ordered
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(of_ordered)
      add(&of_ordered, 1);
#pragma omp ordered
      {
        CHECK_EQUAL(i, order);
        ++order;
      }
    }
    CHECK_EQUAL(kIterations, value_of(&of_ordered));
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kIterations; ++i) {
      int mine = 0;
#pragma omp task shared(mine)
      add(&mine, 1);
#pragma omp taskwait
      CHECK_EQUAL(1, value_of(&mine));
      add(&waited, 1);
    }
  }
  CHECK_EQUAL(kIterations, waited);
  return ok();
}
