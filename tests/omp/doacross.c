// A loop with cross-iteration dependences (ordered(1), sink and source) with tasks pending: the
// runtime executes the loop, and the tasks wait meanwhile.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

int main(void) {
  static int value[kIterations];
  int tasks = 0;
  // Few threads: a runtime may wait for an iteration by spinning.
  const int threads = omp_get_max_threads() < 4 ? omp_get_max_threads() : 4;
#pragma omp parallel num_threads(threads)
  {
#pragma omp task shared(tasks)
    add(&tasks, 1);
#pragma omp for ordered(1)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(tasks)
      add(&tasks, 1);
#pragma omp ordered depend(sink : i - 1)
      value[i] = i == 0 ? 1 : value[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    CHECK_EQUAL(kIterations + omp_get_num_threads(), value_of(&tasks));
  }
  CHECK_EQUAL(kIterations, value[kIterations - 1]);
  return ok();
}
