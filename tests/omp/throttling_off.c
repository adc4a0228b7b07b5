// KMP_ENABLE_TASK_THROTTLING=0: no task runs where it is made, however many there are and however
// full the queues are.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 2000 };

int main(int count, char** arguments) {
  (void)count;
  if (getenv("KMP_ENABLE_TASK_THROTTLING") == NULL) {  // the runtime has read it by now
    setenv("KMP_ENABLE_TASK_THROTTLING", "0", 1);
    execv("/proc/self/exe", arguments);
    CHECK(0);
  }
  int made = 0, early = 0, done = 0, open = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    const int maker = omp_get_thread_num();
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(made, early, done, open)
      {
        if (omp_get_thread_num() == maker && value_of(&made) < kTasks) add(&early, 1);
        while (value_of(&open) + value_of(&early) == 0)
          sched_yield();  // so that each of the others takes one
        add(&done, 1);
      }
      add(&made, 1);
      if (value_of(&early) != 0) break;
    }
    add(&open, 1);
  }
  CHECK_EQUAL(0, early);
  CHECK_EQUAL(kTasks, done);
  return ok();
}
