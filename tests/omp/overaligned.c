// Over-aligned firstprivate data. gcc passes the alignment to its runtime, and gets it; clang
// cannot, so there only the values are checked, and the alignment that every allocation has.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

enum { kTasks = 50 };

struct line {
  _Alignas(64) int number;
  char rest[200];
};

struct page {
  _Alignas(512) int number;
};

#ifdef __clang__
enum { kLine = 16, kPage = 16 };
#else
enum { kLine = 64, kPage = 512 };
#endif

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    struct line line = {.number = i};
    struct page page = {.number = 2 * i};
    memset(line.rest, i, sizeof line.rest);
    int odd = i;
#pragma omp task firstprivate(odd, line) shared(done)
    {
      volatile uintptr_t address = (uintptr_t)&line;
      CHECK_EQUAL(0, address % kLine);
      CHECK_EQUAL(odd, line.number);
      for (size_t k = 0; k < sizeof line.rest; ++k) CHECK_EQUAL(odd, line.rest[k]);
      add(&done, 1);
    }
#pragma omp task firstprivate(odd, page) shared(done)
    {
      volatile uintptr_t address = (uintptr_t)&page;
      CHECK_EQUAL(0, address % kPage);
      CHECK_EQUAL(2 * odd, page.number);
      add(&done, 1);
    }
#pragma omp taskloop firstprivate(line) shared(done) grainsize(1)
    for (int k = 0; k < 2; ++k) {
      CHECK_EQUAL(i, line.number);
      add(&done, 1);
    }
  }
  CHECK_EQUAL(4 * kTasks, done);
  return ok();
}
