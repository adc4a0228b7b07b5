// The affinity clause is a hint; with an iterator it comes with a list that must be skipped.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

int main(void) {
  static int data[kTasks];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task affinity(data[i])
    data[i] += i;
#pragma omp task affinity(iterator(j = 0 : kTasks) : data[j]) firstprivate(i)
    add(&data[i], 0);
#pragma omp taskwait
  }
  for (int i = 0; i < kTasks; ++i) CHECK_EQUAL(i, data[i]);
  return ok();
}
