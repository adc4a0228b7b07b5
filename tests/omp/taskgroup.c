// taskgroup waits for all descendants, nested groups for theirs; it does not wait for tasks made
// before the group (one of them cannot complete until it has ended).
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

static void tree(int* done, int depth) {
  add(done, 1);
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) {
#pragma omp task firstprivate(done)
    tree(done, depth - 1);
  }
}

int main(void) {
  for (int round = 0; round < rounds(10); ++round) {
    omp_event_handle_t event = (omp_event_handle_t)0;
    int before = 0, outer = 0, inner = 0;
#pragma omp parallel shared(before, outer, inner, event)
#pragma omp single
    {
#pragma omp task detach(event) shared(before)
      before = 1;
#pragma omp taskgroup
      {
        tree(&outer, 6);
#pragma omp taskgroup
        tree(&inner, 5);
        CHECK_EQUAL(63, value_of(&inner));
#pragma omp task shared(outer)
        {
#pragma omp taskgroup
          tree(&outer, 4);
        }
      }
      CHECK_EQUAL(127 + 31, value_of(&outer));
      omp_fulfill_event(event);
    }
    CHECK_EQUAL(1, before);
  }
  return ok();
}
