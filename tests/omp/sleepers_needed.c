// All threads sleep but one, which makes a task for each of them and spins in user code. None of
// the tasks ends before all have begun: each needs a thread of its own to be woken, whoever's queue
// it lies in.
#include "check.h"

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds(40); ++round) {
    const int others = omp_get_num_threads() - 1;
    int begun = 0, ended = 0;
    usleep(1000);  // they sleep by now, most likely
    for (int i = 0; i < others; ++i) {
#pragma omp task shared(begun, ended) firstprivate(others)
      {
        add(&begun, 1);
        while (value_of(&begun) != others) sched_yield();
        add(&ended, 1);
      }
    }
    while (value_of(&ended) != others) sched_yield();
#pragma omp taskwait
  }
  return ok();
}
