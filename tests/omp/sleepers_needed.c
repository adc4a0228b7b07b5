// All threads but one sleep; that one makes a task for each of them and spins in user code. None of
// the tasks ends before all have begun, so each needs another thread to be woken, whatever queue it
// is in. If a queue is full a task may legally run where it is made: so there are no more than any
// queue holds.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kMostTasks = 16 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds(40); ++round) {
    const int others = omp_get_num_threads() - 1;
    const int tasks = others < kMostTasks ? others : kMostTasks;
    int begun = 0, ended = 0;
    usleep(1000);  // most likely asleep by now
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(begun, ended) firstprivate(tasks)
      {
        add(&begun, 1);
        while (value_of(&begun) != tasks) sched_yield();
        add(&ended, 1);
      }
    }
    while (value_of(&ended) != tasks) sched_yield();
#pragma omp taskwait
  }
  return ok();
}
