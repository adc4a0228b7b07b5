// A tied task stays on its thread: its number does not change across taskwait, taskgroup and
// taskyield.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int tasks;

static void tied(int depth) {
  const int me = omp_get_thread_num();
  if (depth == 0) return;
#pragma omp task
  tied(depth - 1);
#pragma omp task
  tied(depth - 1);
#pragma omp taskyield
  CHECK_EQUAL(me, omp_get_thread_num());
#pragma omp taskwait
  CHECK_EQUAL(me, omp_get_thread_num());
#pragma omp taskgroup
  {
#pragma omp task
    add(&tasks, 1);
  }
  CHECK_EQUAL(me, omp_get_thread_num());
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    const int me = omp_get_thread_num();
    tied(9);
    CHECK_EQUAL(me, omp_get_thread_num());
    CHECK(me < omp_get_num_threads());
  }
  CHECK_EQUAL(511, tasks);
  return ok();
}
