// A function that regions of our own do not serve, called by a part of the program that is not known
// at its start: the call ends the program with a line, and does not go to a runtime without threads.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <sys/wait.h>

#include "check.h"

enum { kServed = 7 };

static int call_in_child(char* line, size_t bytes) {
  int ends[2];
  CHECK_EQUAL(0, pipe(ends));
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    void (*const serial)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "kmp_set_library_serial");
    if (serial) serial();
    _exit(kServed);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; got > 0; length += got > 0 ? (size_t)got : 0)
    got = read(ends[0], line + length, bytes - 1 - length);
  line[length] = '\0';
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(void) {
  char line[1000];
  const int status = call_in_child(line, sizeof line);
  if (has_own_regions()) {
    CHECK_EQUAL(1, status);
    CHECK(strstr(line, "finegrain-omp: kmp_set_library_serial is not served") != NULL);
  } else {
    CHECK_EQUAL(kServed, status);
  }
#pragma omp parallel
  sched_yield();
  return ok();
}
