// inoutset: the tasks of one set do not wait for each other, but all wait for earlier tasks, and
// later ones wait for all, including those of another set.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 30, kRounds = 10 };

int main(void) {
  int x = 0, first = 0, readers = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
#pragma omp task depend(out : x) shared(first, readers)
    {
      CHECK_EQUAL(round * kTasks, value_of(&first));
      CHECK_EQUAL(2 * round, value_of(&readers));
    }
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inoutset : x) shared(first, readers)
      {
        CHECK_EQUAL(2 * round, value_of(&readers));
        add(&first, 1);
      }
    }
    for (int i = 0; i < 2; ++i) {
#pragma omp task depend(in : x) shared(first, readers)
      {
        CHECK_EQUAL((round + 1) * kTasks, value_of(&first));
        add(&readers, 1);
      }
    }
  }
  CHECK_EQUAL(2 * kRounds, readers);
  return ok();
}
