// 2,000 tasks deep on default stacks, each waiting for its only child: while it waits, a thread
// must not run unrelated tasks on top of its stack. Wide trees beside it offer such tasks.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kDepth = 2000, kWide = 200 };

static int wide;

static int down(int depth) {
  int below = 0;
  if (depth == 0) return 0;
  if (depth % (kDepth / kWide) == 0) {
#pragma omp task
    add(&wide, 1);
  }
#pragma omp task shared(below)
  below = down(depth - 1);
#pragma omp taskwait
  return below + 1;
}

int main(void) {
  int depths[4] = {0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(depths)
    depths[i] = down(kDepth);
  }
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(kDepth, depths[i]);
  CHECK_EQUAL(4 * kWide, wide);
  return ok();
}
