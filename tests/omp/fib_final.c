// final and mergeable: below the cut-off every descendant is included, runs at once and in place,
// and omp_in_final says so.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kCutOff = 10 };

// `final_thread`: the thread of the final task that contains this call; negative outside of one.
static long fib(int n, int final_thread) {
  long a, b;
  CHECK_EQUAL(final_thread >= 0, omp_in_final());
  if (final_thread >= 0) CHECK_EQUAL(final_thread, omp_get_thread_num());
  if (n < 2) return n;
  const int is_final = n <= kCutOff;
#pragma omp task shared(a) final(is_final) mergeable
  a = fib(n - 1, is_final ? omp_get_thread_num() : -1);
#pragma omp task shared(b) final(is_final) mergeable
  b = fib(n - 2, is_final ? omp_get_thread_num() : -1);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  long got = 0;
#pragma omp parallel
#pragma omp single
  {
    CHECK(!omp_in_final());
    got = fib(18, -1);
    CHECK(!omp_in_final());
  }
  CHECK_EQUAL(2584, got);
  return ok();
}
