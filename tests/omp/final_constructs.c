// Every task construct inside a final task: all are included and run at once on its thread, and
// their waits, groups, dependences and reductions keep their meaning.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 20, kIterations = 50 };

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task final(1) shared(done)
    {
      const int me = omp_get_thread_num();
      int x = 0, sum = 0, group = 0, loop = 0, order = 0;
#pragma omp task shared(order)
      {
        CHECK(omp_in_final());
        CHECK_EQUAL(me, omp_get_thread_num());
        order = 1;
      }
      CHECK_EQUAL(1, order);  // an included task finishes before its parent continues
#pragma omp task depend(out : x) shared(x)
      x = 1;
#pragma omp task depend(in : x) shared(x)
      CHECK_EQUAL(1, x);
#pragma omp taskwait depend(in : x)
#pragma omp taskgroup task_reduction(+ : group)
      {
#pragma omp task in_reduction(+ : group) untied
        group += 3;
      }
      CHECK_EQUAL(3, group);
#pragma omp taskloop grainsize(4) shared(loop)
      for (int k = 0; k < kIterations; ++k) ++loop;  // no atomic: one after another
#pragma omp taskloop num_tasks(6) reduction(+ : sum)
      for (int k = 0; k < kIterations; ++k) sum += k;
      CHECK_EQUAL(kIterations, loop);
      CHECK_EQUAL(kIterations * (kIterations - 1) / 2, sum);
      CHECK_EQUAL(me, omp_get_thread_num());
      add(&done, 1);
    }
  }
  CHECK_EQUAL(kTasks, done);
  return ok();
}
