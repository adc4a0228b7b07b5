// Each task makes the next and ends without waiting: 1,500 generations, and only the region's end
// waits for them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kGenerations = 1500 };

static int generations;

static void next(int left) {
  add(&generations, 1);
  if (left == 0) return;
#pragma omp task
  next(left - 1);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  next(kGenerations - 1);
  CHECK_EQUAL(kGenerations, generations);
  return ok();
}
