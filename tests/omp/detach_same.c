// detach: a task is complete when its body is done and its event fulfilled; here by its own body,
// by its parent before it waits, and by its parent while the body may not have begun. In a team of
// one, as outside of regions, a task has run when the next statement is reached.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

enum { kTasks = 50 };

int main(void) {
  int inside = 0, outside = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(inside)
      {
        omp_fulfill_event(event);
        add(&inside, 1);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(kTasks, value_of(&inside));
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(outside)
      add(&outside, 1);
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQUAL(kTasks, value_of(&outside));
  }
#ifdef __clang__  // outside of regions gcc's runtime waits for the event before it continues
  int alone = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(alone)
  alone = 1;
  CHECK_EQUAL(1, alone);
  omp_fulfill_event(event);
#pragma omp task shared(alone)
  alone = 2;
  CHECK_EQUAL(2, alone);
#endif
  return ok();
}
