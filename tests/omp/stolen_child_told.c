// A task that another thread waits for ends here, and then this thread does something long that
// itself waits for that one: the news must not have been kept back. After a taskyield, after a
// taskwait with dependences, and where another task comes next.
#include <stdint.h>

#include "check.h"

// Its child is run by somebody else: it waits for that without a task scheduling point.
static void parent_of_stolen(int* stolen, int* waited, const omp_event_handle_t* event) {
#pragma omp task shared(stolen)
  {
    set_flag(stolen);
    if (event) omp_fulfill_event(*event);
  }
  wait_for_flag(stolen);
#pragma omp taskwait
  set_flag(waited);
}

static void after_taskyield(void) {
  int begun = 0, stolen = 0, waited = 0;
#pragma omp task shared(begun, stolen, waited)
  {
    set_flag(&begun);
    parent_of_stolen(&stolen, &waited, NULL);
  }
  wait_for_flag(&begun);
  while (!flag_is_set(&stolen)) {
#pragma omp taskyield
  }
  wait_for_flag(&waited);
#pragma omp taskwait
}

static void after_taskwait_depend(void) {
  int begun = 0, stolen = 0, waited = 0, x = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : x)
  {
  }
#pragma omp task shared(begun, stolen, waited, event)
  {
    set_flag(&begun);
    parent_of_stolen(&stolen, &waited, &event);
  }
  wait_for_flag(&begun);
#pragma omp taskwait depend(in : x)
  wait_for_flag(&waited);
#pragma omp taskwait
}

// The child and what the taskwait waits for run at the same time, with luck the first one here.
static void after_taskwait_depend_elsewhere(void) {
  int begun = 0, stolen = 0, done = 0, waited = 0, x = 0;
#pragma omp task depend(out : x) shared(stolen, done)
  {
    wait_for_flag(&stolen);
    set_flag(&done);
  }
#pragma omp task shared(begun, stolen, done, waited)
  {
    set_flag(&begun);
#pragma omp task shared(stolen, done)
    {
      set_flag(&stolen);
      wait_for_flag(&done);
      usleep(200);  // until what has set it has ended
    }
    wait_for_flag(&stolen);
#pragma omp taskwait
    set_flag(&waited);
  }
  wait_for_flag(&begun);
#pragma omp taskwait depend(in : x)
  wait_for_flag(&waited);
#pragma omp taskwait
}

static void before_another_task(void) {
  int begun = 0, stolen = 0, waited = 0, x = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : x)
  {
  }
#pragma omp task shared(begun, stolen, waited, event)
  {
    set_flag(&begun);
    parent_of_stolen(&stolen, &waited, &event);
  }
#pragma omp task depend(in : x) shared(waited)
  wait_for_flag(&waited);
  wait_for_flag(&begun);
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < rounds(20); ++round) {
#pragma omp parallel
#pragma omp single
    if (omp_get_num_threads() > 1) {
      after_taskyield();
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
