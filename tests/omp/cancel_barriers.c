// cancel parallel while other threads wait in a barrier, some of them asleep: they leave the region,
// and its tasks that have not begun are dropped. The regions after it are whole.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

// The last thread cancels, the others are on their way to a barrier or in it.
static void leave_barrier(int patiently) {
  int before = 0, after = 0;
#pragma omp parallel shared(before, after)
  {
    add(&before, 1);
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      if (patiently) usleep(20 * 1000);
#pragma omp cancel parallel
      add(&after, 1);
    }
#pragma omp barrier
    add(&after, 1);
  }
  CHECK_EQUAL(omp_get_max_threads(), before);
  CHECK_EQUAL(0, after);
}

// While a thread waits with tasks left to be run.
static void drop_tasks(void) {
  enum { kTasks = 1000 };
  int run = 0, waiting = 0;
#pragma omp parallel shared(run, waiting)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(run)
        add(&run, 1);
      }
#pragma omp cancel parallel
    }
    add(&waiting, 1);
#pragma omp barrier
    add(&waiting, 1000);
  }
  CHECK(run <= kTasks);
  CHECK(waiting < 1000);
}

static void be_whole(void) {
  int tasks = 0;
#pragma omp parallel shared(tasks)
  {
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task shared(tasks)
      add(&tasks, 1);
    }
    CHECK_EQUAL(100, value_of(&tasks));
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(20); ++round) {
    leave_barrier(round % 4 == 0);
    be_whole();
    drop_tasks();
    be_whole();
  }
  return ok();
}
