// Large firstprivate arrays of 100, 5,000 and 100,000 bytes; each task has its own copy with the
// values at its creation.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 20 };

static void check_all(const char* bytes, int length, char value) {
  for (int i = 0; i < length; ++i) CHECK_EQUAL(value, bytes[i]);
}

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    char small[100], middle[5000], large[100000];
    for (int i = 0; i < kTasks; ++i) {
      const char value = (char)(i + 1);
      memset(small, value, sizeof small);
      memset(middle, value, sizeof middle);
      memset(large, value, sizeof large);
#pragma omp task firstprivate(small) shared(done)
      {
        check_all(small, sizeof small, value);
        memset(small, 0, sizeof small);
        add(&done, 1);
      }
#pragma omp task firstprivate(middle) shared(done)
      {
        check_all(middle, sizeof middle, value);
        memset(middle, 0, sizeof middle);
        add(&done, 1);
      }
#pragma omp task firstprivate(large) shared(done)
      {
        check_all(large, sizeof large, value);
        memset(large, 0, sizeof large);
        add(&done, 1);
      }
      check_all(small, sizeof small, value);
      check_all(large, sizeof large, value);
    }
  }
  CHECK_EQUAL(3 * kTasks, done);
  return ok();
}
