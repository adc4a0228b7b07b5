// A task for which another thread waits ends here, and then this thread does something long that
// itself waits for that thread: the other must have been notified. After a taskyield, after a
// taskwait with dependences, and with another task following.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

struct progress {
  int begun, stolen, done, waited, x;
  omp_event_handle_t event;
};

// Another thread runs its child: it waits for that without a task scheduling point.
static void parent_of_stolen(struct progress* at, int fulfils) {
  set_flag(&at->begun);
#pragma omp task firstprivate(at, fulfils)
  {
    set_flag(&at->stolen);
    if (fulfils) omp_fulfill_event(at->event);
  }
  wait_for_flag(&at->stolen);
#pragma omp taskwait
  set_flag(&at->waited);
}

static void after_taskyield(void) {
  struct progress at = {0};
#pragma omp task shared(at)
  parent_of_stolen(&at, 0);
  wait_for_flag(&at.begun);
  while (!flag_is_set(&at.stolen)) {
#pragma omp taskyield
  }
  wait_for_flag(&at.waited);
#pragma omp taskwait
}

// A grandchild of another thread's task is finished by a taskyield that finds nothing to run.
static void after_fulfilled_event(void) {
  struct progress at = {0};
#pragma omp task shared(at)
  {
#pragma omp taskgroup
    {
#pragma omp task shared(at)
      {
        omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event)
        {
        }
        at.event = event;
        set_flag(&at.begun);
      }
    }
    set_flag(&at.waited);
  }
  wait_for_flag(&at.begun);
  usleep(200);  // until the bodies have ended
  omp_fulfill_event(at.event);
#pragma omp taskyield
  wait_for_flag(&at.waited);
#pragma omp taskwait
}

// Makes a task on which others depend by `x`, ended by the child of the second one.
static void make_two(struct progress* at) {
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : at -> x)
  {
  }
  at->event = event;
#pragma omp task firstprivate(at)
  parent_of_stolen(at, 1);
}

static void after_taskwait_depend(void) {
  struct progress at = {0};
  make_two(&at);
  wait_for_flag(&at.begun);
#pragma omp taskwait depend(in : at.x)
  wait_for_flag(&at.waited);
#pragma omp taskwait
}

// The child and the tasks of the taskwait run at the same time, possibly the first one here.
static void after_taskwait_depend_elsewhere(void) {
  struct progress at = {0};
#pragma omp task depend(out : at.x) shared(at)
  {
    wait_for_flag(&at.stolen);
    set_flag(&at.done);
  }
#pragma omp task shared(at)
  {
    set_flag(&at.begun);
#pragma omp task shared(at)
    {
      set_flag(&at.stolen);
      wait_for_flag(&at.done);
      usleep(200);  // until the task that has set it has ended
    }
    wait_for_flag(&at.stolen);
#pragma omp taskwait
    set_flag(&at.waited);
  }
  wait_for_flag(&at.begun);
#pragma omp taskwait depend(in : at.x)
  wait_for_flag(&at.waited);
#pragma omp taskwait
}

static void before_another_task(void) {
  struct progress at = {0};
  make_two(&at);
#pragma omp task depend(in : at.x) shared(at)
  wait_for_flag(&at.waited);
  wait_for_flag(&at.begun);
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < rounds(20); ++round) {
#pragma omp parallel
#pragma omp single
    if (omp_get_num_threads() > 1) {
      after_taskyield();
      after_fulfilled_event();
      after_taskwait_depend();
      before_another_task();
      if (omp_get_num_threads() > 2) after_taskwait_depend_elsewhere();
    } else {
#pragma omp task
      {
      }
    }
  }
  return ok();
}
