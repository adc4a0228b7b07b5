// Wide regions that are cancelled while most of their threads wait, and those that come after them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "many_cpus.h"

static void cancel(int size, int by) {
  int before = 0, after = 0;
#pragma omp parallel num_threads(size) shared(before, after)
  {
#pragma omp barrier
    add(&before, 1);
    if (omp_get_thread_num() == by) {
#pragma omp cancel parallel
      add(&after, 1);
    }
#pragma omp barrier
    add(&after, 1);
  }
  // The others may be on their way out of the first barrier yet.
  CHECK(before >= 1 && before <= size);
  CHECK_EQUAL(0, after);
}

static void meet(int size) {
  int before = 0, tasks = 0;
#pragma omp parallel num_threads(size) shared(before, tasks)
  {
    add(&before, 1);
#pragma omp barrier
    CHECK_EQUAL(size, value_of(&before));
#pragma omp task shared(tasks)
    add(&tasks, 1);
#pragma omp barrier
    CHECK_EQUAL(size, value_of(&tasks));
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(4); ++round) {
    for (int size = 8; size <= 64; size += size < 20 ? 3 : 23) {
      cancel(size, 0);
      meet(size);
      cancel(size, size / 8 * 4);
      cancel(size, size - 1);
      meet(size);
    }
  }
  return ok();
}
