// mutexinoutset: after the preceding writer and before the following reader, in any order, never
// two at once; also with two sets that are named in opposite orders.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 60 };

int main(void) {
  int a = 0, b = 0, in_a = 0, in_b = 0, readers = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a, b) shared(a, b)
    a = b = 1000;
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(mutexinoutset : a) shared(a, in_a)
      {
        add(&in_a, 1);
        CHECK_EQUAL(1, value_of(&in_a));
        if (i % 8 == 0) sched_yield();
        ++a;
        add(&in_a, -1);
      }
#pragma omp task depend(mutexinoutset : a, b) shared(a, b, in_a, in_b)
      {
        add(&in_a, 1);
        add(&in_b, 1);
        CHECK_EQUAL(2, value_of(&in_a) + value_of(&in_b));
        ++a;
        ++b;
        add(&in_b, -1);
        add(&in_a, -1);
      }
#pragma omp task depend(mutexinoutset : b, a) shared(a, b, in_a, in_b)
      {
        add(&in_a, 1);
        add(&in_b, 1);
        CHECK_EQUAL(2, value_of(&in_a) + value_of(&in_b));
        ++a;
        ++b;
        add(&in_b, -1);
        add(&in_a, -1);
      }
    }
#pragma omp task depend(in : a, b) shared(a, b, readers)
    {
      CHECK_EQUAL(1000 + 3 * kTasks, a);
      CHECK_EQUAL(1000 + 2 * kTasks, b);
      ++readers;
    }
  }
  CHECK_EQUAL(1, readers);
  return ok();
}
