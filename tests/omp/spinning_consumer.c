// Thread 0 makes tasks, waits for them, then sets the flag on which all others spin in user code:
// nobody else can run the tasks, whoever's queue they were put into.
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
