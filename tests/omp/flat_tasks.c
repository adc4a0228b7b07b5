// Very many small tasks from one thread with nothing to wait for: past every queue's capacity.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40000 };

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(sum)
    add(&sum, i % 7);
  }
  int expected = 0;
  for (int i = 0; i < kTasks; ++i) expected += i % 7;
  CHECK_EQUAL(expected, sum);
  return ok();
}
