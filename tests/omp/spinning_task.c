// A task that spins until its younger sibling has run: with two threads the other one must take the
// sibling from the spinner, whatever queue it is in.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  for (int round = 0; round < rounds(20); ++round) {
    int flag = 0, done = 0;
#pragma omp parallel shared(flag, done)
#pragma omp single
    if (omp_get_num_threads() > 1) {
#pragma omp task shared(flag, done)
      {
#pragma omp task shared(flag)
        set_flag(&flag);
        wait_for_flag(&flag);
        add(&done, 1);
      }
    } else {
      done = 1;
    }
    CHECK_EQUAL(1, done);
  }
  return ok();
}
