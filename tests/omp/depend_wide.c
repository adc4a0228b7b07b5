// 1,000 tasks released at once by one, and gathered by one.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 1000 };

int main(void) {
  static int value[kTasks];
  int start = 0, gathered = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : start) shared(start)
    start = 1;
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(in : start) depend(out : value[i]) shared(start)
      value[i] = start + i;
    }
#pragma omp task depend(iterator(i = 0 : kTasks), in : value[i]) shared(gathered)
    for (int i = 0; i < kTasks; ++i) gathered += value[i] == i + 1;
  }
  CHECK_EQUAL(kTasks, gathered);
  return ok();
}
