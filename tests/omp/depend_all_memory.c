// omp_all_memory: such a task waits for every earlier sibling with dependences, and every later one
// waits for it, whatever their addresses.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kAddresses = 20, kRounds = 10 };

int main(void) {
  static int value[kAddresses];
  int fences = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kAddresses; ++i) {
#pragma omp task depend(inout : value[i]) shared(value, fences)
      {
        CHECK_EQUAL(round, fences);
        ++value[i];
      }
    }
#pragma omp task depend(inout : omp_all_memory) shared(value, fences)
    {
      for (int i = 0; i < kAddresses; ++i) CHECK_EQUAL(round + 1, value[i]);
      ++fences;
    }
  }
  CHECK_EQUAL(kRounds, fences);
  return ok();
}
