// single with copyprivate while tasks are pending: the broadcast reaches every thread, and the
// tasks are complete at the barrier inside it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int all = rounds(60);
  int done = 0;
#pragma omp parallel
  for (int round = 0; round < all; ++round) {
    int number = -1;
    double half = 0;
#pragma omp single copyprivate(number, half)
    {
#pragma omp task shared(done)
      add(&done, 1);
      number = round;
      half = round / 2.0;
    }
    CHECK_EQUAL(round, number);
    CHECK(half * 2 == round);
  }
  CHECK_EQUAL(all, done);
  return ok();
}
