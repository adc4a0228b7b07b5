// cancel taskgroup: tasks that did not start are dropped, those that run leave at the next
// cancellation point, groups around and tasks elsewhere are not touched, dependences of the dropped
// tasks are released, and the group's end is reached.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

// Fewer than 64 per thread on two threads: above, gcc's runtime runs a task when it is made, and
// after that task has waited for its predecessor it does not check again whether the group is
// cancelled.
enum { kTasks = 100 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  CHECK(omp_get_cancellation());
  int started = 0, past_cancel = 0, past_point = 0, inner_groups = 0, outer = 0, later = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(outer)
      add(&outer, 1);
    }
#pragma omp taskgroup
    {
      int x = 0;
#pragma omp taskgroup
      {
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(started, past_cancel) depend(inout : x)
          {
            add(&started, 1);
            if (i == 10) {
#pragma omp cancel taskgroup
              add(&past_cancel, 1);
            }
          }
        }
      }
#pragma omp task shared(inner_groups)
      add(&inner_groups, 1);
#pragma omp taskgroup
      {
#pragma omp task shared(past_point)
        {
          // A descendant's child: it cancels its parent's group.
#pragma omp task shared(past_point)
          {
#pragma omp cancel taskgroup
            add(&past_point, 1);
          }
#pragma omp taskwait
#pragma omp cancellation point taskgroup
          add(&past_point, 1);
        }
      }
    }
    CHECK_EQUAL(1, value_of(&inner_groups));
#pragma omp taskgroup
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(later)
      add(&later, 1);
    }
    CHECK_EQUAL(kTasks, value_of(&later));
  }
  CHECK_EQUAL(11, started);  // a chain: the tasks before the one that cancels, and that one
  CHECK_EQUAL(0, past_cancel);
  CHECK_EQUAL(0, past_point);
  CHECK_EQUAL(kTasks, outer);
  return ok();
}
