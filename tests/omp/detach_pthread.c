// detach: events fulfilled by a thread that OpenMP does not know, some early, some when the team
// has nothing left to do except wait for them.
/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { kTasks = 30 };

static omp_event_handle_t events[kTasks];
static int ready, fulfilled;

static void* fulfil(void* unused) {
  for (int i = 0; i < kTasks; ++i) {
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) <= i) sched_yield();
    if (i % 10 == 9) usleep(2000);  // the team is most likely asleep by now
    add(&fulfilled, 1);
    omp_fulfill_event(events[i]);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  int x = 0, bodies = 0, links = 0;
  pthread_create(&thread, NULL, fulfil, NULL);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks / 2; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(inout : x) shared(bodies, x)
      add(&bodies, 1);
      events[i] = event;
#pragma omp task depend(inout : x) shared(links, x)
      {
        CHECK(value_of(&fulfilled) > i);
        add(&links, 1);
      }
      __atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
    }
#pragma omp taskwait
    CHECK_EQUAL(kTasks / 2, value_of(&bodies));
    CHECK_EQUAL(kTasks / 2, value_of(&links));
    CHECK_EQUAL(kTasks / 2, value_of(&fulfilled));
    for (int i = kTasks / 2; i < kTasks; ++i) {
      omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(bodies)
      add(&bodies, 1);
      events[i] = event;
      __atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
    }
#ifndef __clang__  // gcc 12's runtime loses the wake-up at a barrier
#pragma omp taskwait
#endif
  }
  // The region waited for the events.
  CHECK_EQUAL(kTasks, value_of(&fulfilled));
  CHECK_EQUAL(kTasks, bodies);
  pthread_join(thread, NULL);
  return ok();
}
