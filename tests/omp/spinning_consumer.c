// Thread 0 makes tasks, waits for them, then sets the flag on which all others spin in user code:
// no other thread can run the tasks, whatever queue they are in.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 300 };

int main(void) {
  for (int round = 0; round < rounds(10); ++round) {
    int flag = 0, done = 0;
#pragma omp parallel shared(flag, done)
    {
      if (omp_get_thread_num() == 0) {
        for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
          add(&done, 1);
        }
#pragma omp taskwait
        CHECK_EQUAL(kTasks, value_of(&done));
        set_flag(&flag);
      } else {
        wait_for_flag(&flag);
      }
    }
  }
  return ok();
}
