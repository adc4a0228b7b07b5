// One writer, many readers, the next writer: it may start only when all readers of the old value
// are done, and the readers only after their writer.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRounds = 20, kReaders = 60 };

int main(void) {
  int value = 0, reads = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) {
#pragma omp task depend(out : value) shared(value, reads)
    {
      CHECK_EQUAL(round * kReaders, value_of(&reads));
      value = round;
    }
    for (int i = 0; i < kReaders; ++i) {
#pragma omp task depend(in : value) shared(value, reads)
      {
        CHECK_EQUAL(round, value);
        add(&reads, 1);
      }
    }
  }
  CHECK_EQUAL(kRounds * kReaders, reads);
  return ok();
}
