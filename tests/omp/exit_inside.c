// exit and _exit inside a region and inside a task, with tasks pending and other threads busy: the
// status is kept, exit handlers run, nothing waits forever. Each case in a child process.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

enum way { kFromRegion, kFromTask, kFromTaskAtOnce, kFromOtherThread, kWays };

static void at_exit(void) {
  if (write(STDOUT_FILENO, "x", 1) != 1) _exit(1);
}

static void leave(enum way way) {
  atexit(at_exit);
#pragma omp parallel
  {
    if (way == kFromRegion && omp_get_thread_num() == 0) {
#pragma omp task
      sched_yield();
      exit(40 + way);
    }
    if (way == kFromOtherThread && omp_get_thread_num() == omp_get_num_threads() - 1) {
      exit(40 + way);
    }
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      {
        if (way == kFromTask && i == 10) exit(40 + way);
        if (way == kFromTaskAtOnce && i == 10) _exit(40 + way);
#pragma omp task
        sched_yield();
      }
    }
  }
  _exit(1);  // not reached
}

int main(void) {
  for (int way = 0; way < kWays; ++way) {
    int pipe_ends[2], status = 0;
    char written[8];
    CHECK_EQUAL(0, pipe(pipe_ends));
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      dup2(pipe_ends[1], STDOUT_FILENO);
      leave((enum way)way);
    }
    close(pipe_ends[1]);
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(40 + way, WEXITSTATUS(status));
    CHECK_EQUAL(way == kFromTaskAtOnce ? 0 : 1, read(pipe_ends[0], written, sizeof written));
    close(pipe_ends[0]);
  }
  return ok();
}
