// Nest locks belong to tasks: the holder may take it again, across its children's runs and a
// taskwait; other tasks wait.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

int main(void) {
  omp_nest_lock_t lock;
  int sum = 0, children = 0;
  omp_init_nest_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(lock, sum, children)
    {
      omp_set_nest_lock(&lock);
      const int before = sum;
#pragma omp task shared(children)
      add(&children, 1);
      omp_set_nest_lock(&lock);
      CHECK_EQUAL(3, omp_test_nest_lock(&lock));
#pragma omp taskwait
      CHECK_EQUAL(before, sum);
      sum = before + 1;
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
  }
  CHECK_EQUAL(kTasks, sum);
  CHECK_EQUAL(kTasks, children);
  omp_destroy_nest_lock(&lock);
  return ok();
}
