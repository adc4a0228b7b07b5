// Tasks that end before their children and grandchildren: a descriptor must live as long as
// anything refers to it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRoots = 50, kChildren = 10 };

int main(void) {
  int leaves = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < kRoots; ++i) {
#pragma omp task shared(leaves)
      for (int j = 0; j < kChildren; ++j) {
#pragma omp task shared(leaves)
        {
#pragma omp task shared(leaves)
          add(&leaves, 1);
        }
      }
    }
#pragma omp barrier
    CHECK_EQUAL(kRoots * kChildren, value_of(&leaves));
  }
  return ok();
}
