// detach: events fulfilled by other tasks, before and after the bodies ran; successors, taskgroup,
// taskwait and barrier wait for the event, not for the body alone.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

enum { kTasks = 40 };

int main(void) {
  int fulfilled = 0, after = 0, bodies = 0, x = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : x) shared(x)
      x = i;
#pragma omp task firstprivate(event) shared(fulfilled)
      {
        add(&fulfilled, 1);
        omp_fulfill_event(event);
      }
#pragma omp task depend(inout : x) shared(fulfilled, after, x)
      {
        CHECK_EQUAL(i, x);
        CHECK(value_of(&fulfilled) > 0);
        add(&after, 1);
      }
    }
#pragma omp taskwait
    CHECK_EQUAL(kTasks, value_of(&after));

    for (int i = 0; i < kTasks; ++i) {
      int released = 0;
#pragma omp taskgroup
      {
        omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(bodies)
        add(&bodies, 1);
#pragma omp task firstprivate(event) shared(released)
        {
          add(&released, 1);
          omp_fulfill_event(event);
        }
      }
      CHECK_EQUAL(1, value_of(&released));
    }
#ifdef __clang__  // gcc 12's runtime loses a wake-up at a barrier
    // Left to the end of the region.
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(bodies)
      add(&bodies, 1);
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
    }
#endif
  }
  CHECK(bodies >= kTasks);
  return ok();
}
