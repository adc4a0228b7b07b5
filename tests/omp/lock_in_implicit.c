// The task scheduling constraint for implicit tasks: all threads but one wait for a child while
// they hold the lock that the first thread's tasks need. Those descend from another implicit task,
// so a waiting thread must not run them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100, kTurns = 10 };

int main(void) {
  omp_lock_t lock;
  const int threads = omp_get_max_threads();
  int guarded = 0;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(lock, guarded)
        {
          omp_set_lock(&lock);
          ++guarded;
          omp_unset_lock(&lock);
        }
      }
    } else {
      for (int i = 0; i < kTurns; ++i) {
        omp_set_lock(&lock);
#pragma omp task shared(guarded)
        ++guarded;  // no atomic: the parent's lock guards it
#pragma omp taskwait
        omp_unset_lock(&lock);
      }
    }
  }
  CHECK_EQUAL(kTasks + (threads - 1) * kTurns, guarded);
  omp_destroy_lock(&lock);
  return ok();
}
