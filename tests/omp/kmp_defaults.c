// A program that calls what regions of our own do not serve: it starts anew, and its tasks are served
// over LLVM's runtime.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  kmp_set_defaults("KMP_BLOCKTIME=1");
  int done = 0;
#pragma omp parallel
  {
#pragma omp task shared(done)
    add(&done, 1);
  }
  CHECK_EQUAL(omp_get_max_threads(), done);
  return ok();
}
