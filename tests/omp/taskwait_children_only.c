// taskwait waits for children, not for their children: the grandchild here cannot complete until
// the event is fulfilled, which happens after the taskwait.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

int main(void) {
  for (int round = 0; round < rounds(30); ++round) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int child = 0, grandchild = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(child, grandchild, event)
      {
#pragma omp task shared(grandchild) detach(event)
        add(&grandchild, 1);
        add(&child, 1);
      }
#pragma omp taskwait
      CHECK_EQUAL(1, value_of(&child));
      omp_fulfill_event(event);
    }
    CHECK_EQUAL(1, grandchild);
  }
  return ok();
}
