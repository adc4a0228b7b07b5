// threadprivate data seen from tied tasks: the same variable before and after a wait, one for every
// thread, changed only by tasks that ran there.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 200 };

static int runs_here;
static int* home;
#pragma omp threadprivate(runs_here, home)

int main(void) {
  int total = 0, distinct = 0;
#pragma omp parallel reduction(+ : total, distinct)
  {
    runs_here = 0;
    home = &runs_here;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task
      {
        int* const before = &runs_here;
        CHECK(home == before);
        ++runs_here;
#pragma omp task
        {
          CHECK(home == &runs_here);
          ++runs_here;
        }
#pragma omp taskwait
        CHECK(before == &runs_here);
        CHECK(home == before);
      }
    }
    total += runs_here;
    distinct += home == &runs_here;
  }
  CHECK_EQUAL(2 * kTasks, total);
  CHECK_EQUAL(omp_get_max_threads(), distinct);
  return ok();
}
