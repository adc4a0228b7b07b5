// firstprivate arrays whose length is known only at run time, up to 40,000 bytes.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int length = 1; length <= 10000; length = 3 * length + 1) {
    int data[length];
    for (int i = 0; i < length; ++i) data[i] = length + i;
#pragma omp task firstprivate(data) shared(done)
    {
      for (int i = 0; i < length; ++i) CHECK_EQUAL(length + i, data[i]);
      CHECK_EQUAL(length * (int)sizeof(int), sizeof data);
      add(&done, 1);
    }
    memset(data, 0, sizeof data);
  }
  CHECK_EQUAL(9, done);
  return ok();
}
