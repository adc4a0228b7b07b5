// An undeferred task with dependences: its parent waits for them, runs it, then continues; later
// tasks depend on it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRounds = 40 };

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    int done = 0;
#pragma omp task depend(out : x) shared(x)
    x = 2 * round + 1;
#pragma omp task if (0) depend(inout : x) shared(x, done)
    {
      CHECK_EQUAL(2 * round + 1, x);
      x = 2 * round + 2;
      done = 1;
    }
    CHECK_EQUAL(1, done);
#pragma omp task depend(in : x) depend(inout : y) shared(x, y)
    {
      CHECK_EQUAL(2 * round + 2, x);
      ++y;
    }
  }
  CHECK_EQUAL(kRounds, y);
  return ok();
}
