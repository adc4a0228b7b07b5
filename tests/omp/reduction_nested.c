// Reductions of tasks in worksharing constructs inside a region with one: its copies are found from
// inside the constructs' groups, repeatedly.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTurns = 64, kRounds = 3 };

static void add_to_both(int i, int* of_region, int* of_construct) {
#pragma omp task in_reduction(+ : of_region[0])
  of_region[0] += i;
#pragma omp task in_reduction(+ : of_construct[0]) in_reduction(+ : of_region[0])
  {
    of_construct[0] += 2 * i;
    of_region[0] += 1;
  }
}

int main(void) {
  int region = 0, loop = 0, parts = 0;
#pragma omp parallel reduction(task, + : region) shared(loop, parts)
  for (int round = 0; round < kRounds; ++round) {
#pragma omp for reduction(task, + : loop)
    for (int i = 0; i < kTurns; ++i) {
      add_to_both(i, &region, &loop);
      ++loop;
    }
#pragma omp for schedule(dynamic, 3) reduction(task, + : loop)
    for (int i = 0; i < kTurns; ++i) add_to_both(i, &region, &loop);
#pragma omp sections reduction(task, + : parts)
    {
      add_to_both(1, &region, &parts);
#pragma omp section
      add_to_both(2, &region, &parts);
    }
  }
  const int sum = kTurns * (kTurns - 1) / 2;
  CHECK_EQUAL(kRounds * (2 * (sum + kTurns) + 5), region);
  CHECK_EQUAL(kRounds * (4 * sum + kTurns), loop);
  CHECK_EQUAL(kRounds * 6, parts);
  return ok();
}
