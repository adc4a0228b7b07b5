// cancel for and cancel sections, under every schedule: the threads go on together after the
// construct, and the next one is whole.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 400 };

#define PRAGMA(text) _Pragma(#text)
#define CANCEL_LOOP(...)                    \
  do {                                      \
    PRAGMA(omp for __VA_ARGS__)             \
    for (int i = 0; i < kIterations; ++i) { \
      add(&begun, 1);                       \
      if (i == stop) {                      \
        PRAGMA(omp cancel for)              \
        add(&past, 1);                      \
      }                                     \
      PRAGMA(omp cancellation point for)    \
      add(&ended, 1);                       \
    }                                       \
    check_cancelled();                      \
  } while (0)

static int begun, ended, past, sections, whole;

// Called by all threads after a cancelled loop.
static void check_cancelled(void) {
#pragma omp barrier
  CHECK(value_of(&begun) > value_of(&ended));
  CHECK(value_of(&begun) <= kIterations);
  CHECK_EQUAL(0, value_of(&past));
#pragma omp barrier
#pragma omp single
  begun = ended = whole = 0;
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < kIterations; ++i) add(&whole, 1);
  CHECK_EQUAL(kIterations, value_of(&whole));
#pragma omp barrier
}

static void cancel_sections(int stops) {
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp cancel sections if (stops)
      add(&sections, 1);
    }
#pragma omp section
    {
#pragma omp cancel sections if (stops)
      add(&sections, 10);
    }
#pragma omp section
    {
#pragma omp cancel sections if (stops)
      add(&sections, 100);
    }
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  const int all = rounds(20);
  for (int round = 0; round < all; ++round) {
    const int stop = round * 7 % kIterations;
#pragma omp parallel
    {
      CANCEL_LOOP(schedule(static));
      CANCEL_LOOP(schedule(static, 5));
      CANCEL_LOOP(schedule(dynamic));
      CANCEL_LOOP(schedule(guided));
      CANCEL_LOOP(schedule(runtime));
      cancel_sections(1);
      CHECK_EQUAL(round * 111, value_of(&sections));
#pragma omp barrier
      cancel_sections(0);
      CHECK_EQUAL((round + 1) * 111, value_of(&sections));
    }
    // At the end of a region, where the loop has no barrier of its own.
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp cancel for
      add(&past, 1);
    }
    CHECK_EQUAL(0, past);
  }
  return ok();
}
