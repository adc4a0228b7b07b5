// Two tasks that wait for one another, each of which needs a thread of its own, after many tasks
// that took less time to run than to share. Between the two kinds is every construct at which a
// thread waits: tasks made after it have to be shared again.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kMany = 20000 };

static void make_many(int* sum) {
  for (int i = 0; i < kMany; ++i) {
#pragma omp task
    add(sum, 1);
  }
}

static int queues_have_an_end(void) {
  const char* policy = getenv("FINEGRAIN_POLICY");
  return policy && (strncmp(policy, "xqueue", 6) == 0 || strcmp(policy, "combining") == 0);
}

static void meet(void) {
  int maker = 0, task = 0;
#pragma omp task shared(maker, task)
  {
    set_flag(&task);
    wait_for_flag(&maker);
  }
  wait_for_flag(&task);
  set_flag(&maker);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    const int meets = omp_get_num_threads() > 1 && !queues_have_an_end();
    int sum = 0;
    for (int round = 0; round < rounds(4); ++round) {
      make_many(&sum);
#pragma omp taskwait
#pragma omp taskwait
      if (meets) meet();
#pragma omp taskgroup
      make_many(&sum);
      if (meets) meet();
#pragma omp taskgroup
      {
#pragma omp task shared(sum)
        make_many(&sum);
      }
      if (meets) meet();
    }
    CHECK_EQUAL(3LL * kMany * rounds(4), value_of(&sum));
  }
  return ok();
}
