// detach: events fulfilled in a signal handler, on a thread of the team between two statements of
// its own, and on a foreign thread that waits for signals.
/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "check.h"

enum { kTasks = 30 };

static omp_event_handle_t to_fulfil;
static volatile sig_atomic_t handled;

static void handler(int number) {
  (void)number;
  ++handled;
  omp_fulfill_event(to_fulfil);
}

static int waits;

// The signal is blocked here except while it waits.
static void* wait_for_signals(void* unused) {
  sigset_t none;
  sigemptyset(&none);
  set_flag(&waits);
  while (handled < 2 * kTasks) sigsuspend(&none);
  return unused;
}

// A region with one detached task; its event's signal goes to `thread`.
static void region(pthread_t thread, int* bodies) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) firstprivate(bodies)
    add(bodies, 1);
    to_fulfil = event;
    if (thread)
      pthread_kill(thread, SIGUSR1);
    else
      raise(SIGUSR1);
#ifndef __clang__  // gcc 12's runtime loses the wake-up at a barrier
#pragma omp taskwait
#endif
  }
}

int main(void) {
  struct sigaction action;
  sigset_t signals;
  pthread_t thread;
  int bodies = 0;
  omp_set_num_threads(omp_get_max_threads() < 4 ? omp_get_max_threads() : 4);
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);

  for (int i = 0; i < kTasks; ++i) {
    region((pthread_t)0, &bodies);
    CHECK_EQUAL(i + 1, handled);
    CHECK_EQUAL(i + 1, bodies);
  }

  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);  // inherited by the new thread
  pthread_create(&thread, NULL, wait_for_signals, NULL);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  wait_for_flag(&waits);
  for (int i = 0; i < kTasks; ++i) {
    region(thread, &bodies);
    CHECK_EQUAL(kTasks + i + 1, handled);
    CHECK_EQUAL(kTasks + i + 1, bodies);
  }
  pthread_join(thread, NULL);
  return ok();
}
