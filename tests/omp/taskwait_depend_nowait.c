// taskwait depend nowait acts like an empty task in the graph: tasks that depend on it wait for
// those on which it depends. (LLVM's own runtime waits in place, which is right, too.)
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40, kRounds = 10 };

int main(void) {
  static int value[kTasks];
  int gate = 0, after = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : value[i])
      {
        sched_yield();
        ++value[i];
      }
    }
#pragma omp taskwait depend(iterator(i = 0 : kTasks), inout : value[i]) depend(out : gate) nowait
#pragma omp task depend(inout : gate) shared(after)
    {
      for (int i = 0; i < kTasks; ++i) CHECK(value_of(&value[i]) >= round + 1);
      ++after;
    }
  }
  CHECK_EQUAL(kRounds, after);
  return ok();
}
