// Shared by every program of this folder: it checks its own answer, prints one line and ends with
// status 1 if it is wrong, and prints "ok" if it is right. For C and C++.
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Any thread, in any state: the first to fail writes, the others stop, and no exit handler runs (a
// runtime's could wait for threads that no longer respond).
__attribute__((noreturn, unused)) static void fail(const char* file, int line, const char* what,
                                                   long long expected, long long got) {
  static int failed;
  if (__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED) != 0) {
    for (;;) pause();
  }
  const char* slash = strrchr(file, '/');
  fprintf(stderr, "%s:%d: %s: expected %lld, got %lld\n", slash ? slash + 1 : file, line, what,
          expected, got);
  _exit(1);
}

#define CHECK_EQUAL(expected, got)                                                              \
  do {                                                                                          \
    const long long expected_value = (long long)(expected);                                     \
    const long long got_value = (long long)(got);                                               \
    if (expected_value != got_value) fail(__FILE__, __LINE__, #got, expected_value, got_value); \
  } while (0)

#define CHECK(condition) CHECK_EQUAL(1, !!(condition))

// The last statement of every main.
__attribute__((unused)) static int ok(void) {
  puts("ok");
  return 0;
}

// Whether the process runs under our library with regions of its own.
__attribute__((unused)) static int has_own_regions(void) {
  const char* const preload = getenv("LD_PRELOAD");
  const char* const folders = getenv("LD_LIBRARY_PATH");
  return (preload && strstr(preload, "libfinegrain-omp-all")) ||
         (folders && strstr(folders, "finegrain/omp"));
}

__attribute__((unused)) static void set_flag(int* flag) {
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);  // what came before is visible after wait_for_flag
}

__attribute__((unused)) static int flag_is_set(const int* flag) {
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

// Spins in user code: no task scheduling point.
__attribute__((unused)) static void wait_for_flag(const int* flag) {
  while (!flag_is_set(flag)) sched_yield();
}

__attribute__((unused)) static void add(int* sum, int value) {
  __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

__attribute__((unused)) static int value_of(const int* sum) {
  return __atomic_load_n(sum, __ATOMIC_RELAXED);
}

// `count` for up to four threads, fewer for more: for work that costs the whole team a round each
// time.
__attribute__((unused)) static int rounds(int count) {
  const int threads = omp_get_max_threads();
  const int fewer = threads <= 4 ? count : count * 4 / threads;
  return fewer < 3 ? 3 : fewer;
}

// Restarts the program if a variable that the runtime reads at its start does not have this value.
__attribute__((unused)) static void run_with(const char* name, const char* value, char** argv) {
  const char* now = getenv(name);
  if (now && strcmp(now, value) == 0) return;
  setenv(name, value, 1);
  execv("/proc/self/exe", argv);
  perror("execv");
  exit(1);
}
