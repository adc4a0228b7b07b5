// The task scheduling constraint: a tied task holds a lock, or is in a critical section, and waits
// for its child; its siblings need the same. A thread that ran a sibling while it waits would
// deadlock.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 60 };

int main(void) {
  omp_lock_t lock;
  int of_lock = 0, of_critical = 0;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(lock, of_lock)
    {
      omp_set_lock(&lock);
#pragma omp task shared(of_lock)
      ++of_lock;  // no atomic: the parent's lock guards it
#pragma omp taskwait
      omp_unset_lock(&lock);
    }
#pragma omp task shared(of_critical)
    {
#pragma omp critical
      {
#pragma omp taskgroup
        {
#pragma omp task shared(of_critical)
          ++of_critical;
        }
      }
    }
  }
  CHECK_EQUAL(kTasks, of_lock);
  CHECK_EQUAL(kTasks, of_critical);
  omp_destroy_lock(&lock);
  return ok();
}
