// cancel parallel while other threads are in loops whose iterations are handed out, or many loops
// ahead: they leave the region. Loops of the regions after it are whole.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLoops = 20, kIterations = 64 };

static void leave(void) {
  int after = 0;
#pragma omp parallel shared(after)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < kIterations; ++i) sched_yield();
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
    for (int loop = 0; loop < kLoops; ++loop) {
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < kIterations; ++i) sched_yield();
    }
#pragma omp cancellation point parallel
    add(&after, 1);
#pragma omp barrier
    add(&after, 1000);
  }
  CHECK(after < 1000);
}

// A thread waits for the order of an iteration that is never reached.
static void leave_ordered(void) {
  int after = 0;
#pragma omp parallel shared(after)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(dynamic, 1) ordered
    for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
      sched_yield();
    }
    add(&after, 1);
  }
  CHECK_EQUAL(0, after);
}

static void be_whole(void) {
  int sum = 0;
#pragma omp parallel shared(sum)
  {
    for (int loop = 0; loop < kLoops; ++loop) {
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < kIterations; ++i) add(&sum, 1);
    }
#pragma omp barrier
    CHECK_EQUAL(kLoops * kIterations, value_of(&sum));
#pragma omp barrier
#pragma omp single
    add(&sum, 1);
    CHECK_EQUAL(kLoops * kIterations + 1, value_of(&sum));
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(30); ++round) {
    leave();
    be_whole();
    leave_ordered();
    be_whole();
  }
  return ok();
}
