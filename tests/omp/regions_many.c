// Ten thousand regions one after another, each with a task or two for which only its end waits.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int all = rounds(10000);
  for (int region = 0; region < all; ++region) {
    int done = 0;
#pragma omp parallel shared(done)
    {
#pragma omp single nowait
      {
#pragma omp task shared(done)
        add(&done, 1);
#pragma omp task shared(done)
        add(&done, 2);
      }
    }
    CHECK_EQUAL(3, done);
  }
  return ok();
}
