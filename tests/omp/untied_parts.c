// An untied task with several scheduling points in its own body: clang splits it into parts that
// are resubmitted one after another; firstprivate and private data survive them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40, kParts = 5 };

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task untied firstprivate(i) shared(done)
    {
      int children = 0;
      int sum = i;
      for (int part = 0; part < kParts; ++part) {
#pragma omp task shared(children)
        add(&children, 1);
#pragma omp taskyield
        sum += part;
#pragma omp taskwait
        CHECK_EQUAL(part + 1, value_of(&children));
      }
      CHECK_EQUAL(i + kParts * (kParts - 1) / 2, sum);
      add(&done, 1);
    }
  }
  CHECK_EQUAL(kTasks, done);
  return ok();
}
