// A region that could be cancelled and is not, since cancellation is off: gcc gives its barriers,
// and the ends of its loops and sections, entry points of their own. Tasks are done after each.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  const int all = rounds(30);
  int at_barrier = 0, in_loop = 0, in_sections = 0, past = 0;
#pragma omp parallel shared(at_barrier, in_loop, in_sections, past)
  {
    const int threads = omp_get_num_threads();
    for (int round = 1; round <= all; ++round) {
#pragma omp task shared(at_barrier)
      {
#pragma omp task shared(at_barrier)
        add(&at_barrier, 1);
      }
#pragma omp barrier
      CHECK_EQUAL(round * threads, value_of(&at_barrier));
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 40; ++i) {
#pragma omp task shared(in_loop)
        add(&in_loop, 1);
      }
      CHECK_EQUAL(round * 40, value_of(&in_loop));
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp task shared(in_sections)
          add(&in_sections, 1);
        }
#pragma omp section
        {
#pragma omp task shared(in_sections)
          add(&in_sections, 2);
        }
      }
      CHECK_EQUAL(round * 3, value_of(&in_sections));
#pragma omp barrier  // a thread that is ahead would count the next round's tasks
#pragma omp cancel parallel
    }
    add(&past, 1);
#pragma omp barrier
    CHECK_EQUAL(threads, value_of(&past));
  }
  CHECK_EQUAL(all * 40, in_loop);
  return ok();
}
