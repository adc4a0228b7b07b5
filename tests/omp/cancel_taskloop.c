// cancel taskgroup from a taskloop's iteration, repeated many times: always ends, and each chunk
// either ran or was dropped.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

// Few enough that LLVM's runtime makes the tasks one by one: it halves longer loops by tasks of its
// own, and never ends if such a task is dropped.
enum { kIterations = 16 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds(40); ++round) {
    int before = 0, after = 0, cancels = 0;
#pragma omp taskloop grainsize(1) shared(before, after, cancels)
    for (int i = 0; i < kIterations; ++i) {
      add(&before, 1);
      if (i == round % kIterations) {
        add(&cancels, 1);
#pragma omp cancel taskgroup
      }
      add(&after, 1);
    }
    CHECK_EQUAL(1, value_of(&cancels));
    CHECK_EQUAL(value_of(&before) - 1, value_of(&after));
    CHECK(value_of(&before) <= kIterations);
  }
  return ok();
}
