// taskloop with reduction and with in_reduction, scalars of several types, with no iteration too.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 200 };

int main(void) {
  int sum = 5, largest = -1, none = 7, inherited = 0;
  double product = 1;
  unsigned char bits = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7) reduction(+ : sum) reduction(max : largest) reduction(| : bits)
    for (int i = 0; i < kIterations; ++i) {
      sum += i;
      const int mixed = i * 37 % kIterations;
      largest = mixed > largest ? mixed : largest;
      bits |= (unsigned char)(1 << i % 8);
    }
#pragma omp taskloop num_tasks(3) reduction(* : product)
    for (int i = 0; i < 20; ++i) product *= 2;
#pragma omp taskloop reduction(+ : none)
    for (int i = 0; i < 0; ++i) none += i;
#pragma omp taskgroup task_reduction(+ : inherited)
    {
#pragma omp taskloop grainsize(5) in_reduction(+ : inherited)
      for (int i = 0; i < kIterations; ++i) inherited += 2;
#pragma omp task in_reduction(+ : inherited)
      inherited += 1;
    }
  }
  CHECK_EQUAL(5 + kIterations * (kIterations - 1) / 2, sum);
  CHECK_EQUAL(kIterations - 1, largest);
  CHECK_EQUAL(255, bits);
  CHECK(product == 1024.0 * 1024.0);
  CHECK_EQUAL(7, none);
  CHECK_EQUAL(2 * kIterations + 1, inherited);
  return ok();
}
