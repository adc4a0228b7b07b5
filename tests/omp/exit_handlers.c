// Regions with tasks before main (a constructor) and after it (an exit handler).
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  return done;
}

static int before;

__attribute__((constructor)) static void early(void) { before = tasks(); }

static void late(void) {
  CHECK_EQUAL(30, tasks());
  ok();  // printed here, so that a program that does not reach this line has not printed it
  fflush(stdout);
}

int main(void) {
  CHECK_EQUAL(30, before);
  atexit(late);
  CHECK_EQUAL(30, tasks());
  return 0;
}
