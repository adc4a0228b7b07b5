// reduction(task, +) on ordered and on doacross loops, over int and over unsigned 64-bit counters.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 200 };

int main(int argc, char** argv) {
  (void)argv;
  const int iterations = kIterations + argc - 1;
  const unsigned long long long_iterations = (unsigned long long)iterations;
  long ordered = 1, doacross = 2, long_doacross = 3;
  int last = -1, before = 0;
  int finished[kIterations] = {0};
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic) reduction(task, + : ordered)
    for (int i = 0; i < iterations; ++i) {
#pragma omp task in_reduction(+ : ordered)
      ordered += i;
#pragma omp ordered
      {
        CHECK_EQUAL(i - 1, last);
        last = i;
      }
    }
#pragma omp for ordered(1) schedule(dynamic) reduction(task, + : doacross)
    for (int i = 0; i < iterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
      if (i > 0) CHECK_EQUAL(1, value_of(&finished[i - 1]));
      set_flag(&finished[i]);
#pragma omp ordered depend(source)
#pragma omp task in_reduction(+ : doacross)
      doacross += i;
    }
#pragma omp for ordered(1) schedule(dynamic) reduction(task, + : long_doacross)
    for (unsigned long long i = 1; i <= long_iterations; ++i) {  // gcc 12 hangs in a loop from 0
#pragma omp ordered depend(sink : i - 1)
      CHECK_EQUAL((int)i - 1, value_of(&before));
      add(&before, 1);
#pragma omp ordered depend(source)
#pragma omp task in_reduction(+ : long_doacross)
      long_doacross += (long)i;
    }
  }
  const long sum = kIterations * (kIterations - 1) / 2;
  CHECK_EQUAL(1 + sum, ordered);
  CHECK_EQUAL(2 + sum, doacross);
  CHECK_EQUAL(3 + sum + kIterations, long_doacross);
  return ok();
}
