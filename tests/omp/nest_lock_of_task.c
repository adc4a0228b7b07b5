// A nested lock belongs to a task, not to its thread: other tasks that the holder's thread runs
// meanwhile do not get it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 40 };

static omp_nest_lock_t lock;

static int try_it(void) {
  const int depth = omp_test_nest_lock(&lock);
  if (depth != 0) omp_unset_nest_lock(&lock);
  return depth;
}

// Holds the lock while others try: children that are deferred, undeferred and final.
static void hold_and_make_children(void) {
  int got = 0;
  omp_set_nest_lock(&lock);
  CHECK_EQUAL(2, try_it());
#pragma omp task shared(got)
  add(&got, try_it());
#pragma omp task if (0) shared(got)
  add(&got, try_it());
#pragma omp task final(1) shared(got)
  {
    add(&got, try_it());
#pragma omp task shared(got)
    add(&got, try_it());
  }
#pragma omp taskwait
  CHECK_EQUAL(0, got);
  CHECK_EQUAL(2, try_it());
  omp_unset_nest_lock(&lock);
}

int main(void) {
  int sum = 0;
  omp_init_nest_lock(&lock);
  hold_and_make_children();
#pragma omp parallel
  {
#pragma omp single
    hold_and_make_children();
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(sum)
      {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        const int before = sum;
        sched_yield();
        sum = before + 1;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
      }
    }
  }
  CHECK_EQUAL(kTasks, sum);
  CHECK_EQUAL(1, try_it());
  omp_destroy_nest_lock(&lock);
  return ok();
}
