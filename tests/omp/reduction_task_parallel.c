// reduction(task, ...) on parallel: implicit tasks and explicit ones of all threads participate.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

int main(void) {
  const int threads = omp_get_max_threads();
  for (int round = 0; round < rounds(20); ++round) {
    int sum = 10, largest = 0;
#pragma omp parallel reduction(task, + : sum) reduction(task, max : largest)
    {
      sum += 1;
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(max : largest)
        {
          sum += i;
          largest = i > largest ? i : largest;
#pragma omp task in_reduction(+ : sum)
          sum += 1000;
        }
      }
    }
    CHECK_EQUAL(10 + threads * (1 + kTasks * (kTasks - 1) / 2 + 1000 * kTasks), sum);
    CHECK_EQUAL(kTasks - 1, largest);
  }
  return ok();
}
