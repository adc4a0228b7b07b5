// A tied task yields while it holds a lock that its siblings need: none of them may start on its
// thread.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 60 };

int main(void) {
  omp_lock_t lock;
  int inside = 0, done = 0;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(lock, inside, done)
    {
      omp_set_lock(&lock);
      CHECK_EQUAL(0, inside);
      inside = 1;
#pragma omp taskyield
      inside = 0;
      ++done;
      omp_unset_lock(&lock);
    }
  }
  CHECK_EQUAL(kTasks, done);
  omp_destroy_lock(&lock);
  return ok();
}
