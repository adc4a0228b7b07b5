// Internal control variables that a task sets apply to itself and its children: they do not leak
// into siblings, the parent or the thread's next task.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40, kMark = 17 };

int main(void) {
  int done = 0;
  const int threads = omp_get_max_threads();
  const int device = omp_get_default_device();
  omp_set_max_active_levels(3);
#pragma omp parallel
  {
    CHECK_EQUAL(threads, omp_get_max_threads());
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done) firstprivate(i)
      {
        CHECK_EQUAL(threads, omp_get_max_threads());
        CHECK_EQUAL(device, omp_get_default_device());
        omp_set_num_threads(kMark + i);
        omp_set_schedule(omp_sched_dynamic, 5 + i);
#pragma omp task shared(done) firstprivate(i)
        {
          omp_sched_t kind;
          int chunk;
          omp_get_schedule(&kind, &chunk);
          CHECK_EQUAL(kMark + i, omp_get_max_threads());
          CHECK_EQUAL(5 + i, chunk);
          omp_set_num_threads(kMark - 1);
          add(&done, 1);
        }
#pragma omp taskwait
        CHECK_EQUAL(kMark + i, omp_get_max_threads());
      }
#pragma omp task shared(done) firstprivate(i)
      {
        CHECK_EQUAL(device, omp_get_default_device());
        omp_set_default_device(kMark + i);
#pragma omp task shared(done) firstprivate(i)
        {
          CHECK_EQUAL(kMark + i, omp_get_default_device());
          add(&done, 1);
        }
#pragma omp taskwait
        CHECK_EQUAL(kMark + i, omp_get_default_device());
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(threads, omp_get_max_threads());
#pragma omp barrier
    CHECK_EQUAL(threads, omp_get_max_threads());
    CHECK_EQUAL(device, omp_get_default_device());
  }
  CHECK_EQUAL(threads, omp_get_max_threads());
  CHECK_EQUAL(2 * threads * kTasks, done);
  return ok();
}
