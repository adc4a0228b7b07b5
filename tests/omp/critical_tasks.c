// Critical sections, atomics and plain locks that tasks share, without a scheduling point inside.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 300 };

int main(void) {
  omp_lock_t lock;
  int by_critical = 0, by_lock = 0, by_atomic = 0;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(by_critical, by_lock, by_atomic, lock)
      {
#pragma omp critical(name)
        ++by_critical;
        omp_set_lock(&lock);
        ++by_lock;
        omp_unset_lock(&lock);
#pragma omp atomic
        ++by_atomic;
      }
    }
  }
  CHECK_EQUAL(kTasks, by_critical);
  CHECK_EQUAL(kTasks, by_lock);
  CHECK_EQUAL(kTasks, by_atomic);
  omp_destroy_lock(&lock);
  return ok();
}
