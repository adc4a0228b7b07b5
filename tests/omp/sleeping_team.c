// Waiting threads sleep at once (OMP_WAIT_POLICY=passive); one makes a few tasks after a pause and
// waits for them. In gcc's program it spins in user code: each task must wake a thread. (LLVM's own
// runtime does not wake one then.)
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);
  const int threads = omp_get_max_threads();
  const int others = threads > 1;
  int done = 0, made = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds(40); ++round) {
    usleep(round % 4 * 300u);
    for (int i = 0; i <= round % 2; ++i) {
#pragma omp task shared(done)
      add(&done, 1);
      ++made;
    }
#ifdef __clang__
    if (others) {
#pragma omp taskwait
    }
#else
    while (others && value_of(&done) != made) sched_yield();
#endif
  }
  CHECK_EQUAL(made, done);
  CHECK(made > 3);
  return ok();
}
