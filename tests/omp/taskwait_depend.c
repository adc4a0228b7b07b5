// taskwait with depend waits for the tasks on which it depends, and only for these: the other child
// here cannot complete before the taskwait has returned.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

enum { kLinks = 30 };

int main(void) {
  for (int round = 0; round < rounds(20); ++round) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int x = 0, y = 0, other = 0;
#pragma omp parallel shared(x, y, other, event)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : other) shared(other)
      other = 1;
      for (int i = 0; i < kLinks; ++i) {
#pragma omp task depend(inout : x) shared(x)
        ++x;
#pragma omp task depend(in : x) depend(inout : y) shared(y)
        ++y;
      }
#pragma omp taskwait depend(in : x)
      CHECK_EQUAL(kLinks, x);
#pragma omp taskwait depend(out : y) depend(in : x)
      CHECK_EQUAL(kLinks, y);
      omp_fulfill_event(event);
    }
    CHECK_EQUAL(1, other);
  }
  return ok();
}
