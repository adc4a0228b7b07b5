// Threads that wait in a barrier of a wide region run tasks of what comes after it, and these tasks
// wait for a thread with a higher number that is still in the barrier: it must leave it all the
// same. No runtime has to do that: GNU's does, LLVM's may not.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "many_cpus.h"

enum { kMost = 64 };

static int has_left[kMost];

// Waits for the next thread, which waits for none.
static void wait_for_next(int size) {
  const int own = omp_get_thread_num();
  if (own % 4 == 0 && own + 1 < size) wait_for_flag(&has_left[own + 1]);
}

static void run(int size) {
  int begun = 0, done = 0;
  memset(has_left, 0, sizeof has_left);
#pragma omp parallel num_threads(size) shared(begun, done)
  {
    // The region has queues: whoever waits looks for tasks.
#pragma omp task shared(begun)
    add(&begun, 1);
#pragma omp barrier
    set_flag(&has_left[omp_get_thread_num()]);
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(done)
      {
        wait_for_next(size);
        add(&done, 1);
      }
    }
  }
  CHECK_EQUAL(size, begun);
  CHECK_EQUAL(4 * size, done);
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);  // they sleep soon
  for (int round = 0; round < rounds(20); ++round) {
    run(9);
    run(16);
    run(64);
  }
  return ok();
}
