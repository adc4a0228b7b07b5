// Large firstprivate structures of 100, 5,000 and 100,000 bytes, and a mixed one; each task has its
// own copy with the values at its creation.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 20 };

struct record {
  double value;
  char name[40];
  int numbers[30];
};

struct small {
  char bytes[100];
};

struct middle {
  char bytes[5000];
};

struct large {
  char bytes[100000];
};

static void check_all(const char* bytes, int length, char value) {
  for (int i = 0; i < length; ++i) CHECK_EQUAL(value, bytes[i]);
}

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    struct small small;
    struct middle middle;
    struct large large;
    struct record record;
    for (int i = 0; i < kTasks; ++i) {
      const char value = (char)(i + 1);
      memset(small.bytes, value, sizeof small.bytes);
      memset(middle.bytes, value, sizeof middle.bytes);
      memset(large.bytes, value, sizeof large.bytes);
      record.value = i / 2.0;
      memset(record.name, value, sizeof record.name);
      for (int k = 0; k < 30; ++k) record.numbers[k] = i * k;
#pragma omp task firstprivate(small) shared(done)
      {
        check_all(small.bytes, sizeof small.bytes, value);
        memset(small.bytes, 0, sizeof small.bytes);
        add(&done, 1);
      }
#pragma omp task firstprivate(middle) shared(done)
      {
        check_all(middle.bytes, sizeof middle.bytes, value);
        memset(middle.bytes, 0, sizeof middle.bytes);
        add(&done, 1);
      }
#pragma omp task firstprivate(large) shared(done)
      {
        check_all(large.bytes, sizeof large.bytes, value);
        memset(large.bytes, 0, sizeof large.bytes);
        add(&done, 1);
      }
#pragma omp task firstprivate(record) shared(done)
      {
        CHECK(record.value * 2 == i);
        check_all(record.name, sizeof record.name, value);
        for (int k = 0; k < 30; ++k) CHECK_EQUAL(i * k, record.numbers[k]);
        memset(&record, 0, sizeof record);
        add(&done, 1);
      }
      check_all(small.bytes, sizeof small.bytes, value);
      check_all(large.bytes, sizeof large.bytes, value);
    }
  }
  CHECK_EQUAL(4 * kTasks, done);
  return ok();
}
