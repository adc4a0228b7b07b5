// omp_pause_resource ends the threads that wait for the next region, those of nested regions, too; the
// next region has as many as before.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

// By the system's own counter: a list of /proc/self/task ends where a thread ends while it is read.
static int threads(void) {
  FILE* const status = fopen("/proc/self/status", "r");
  char line[256];
  int count = 0;
  while (count == 0 && fgets(line, sizeof line, status)) sscanf(line, "Threads: %d", &count);
  fclose(status);
  return count;
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 5; ++round) {
    int parts = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp parallel num_threads(2)
      add(&parts, 1);
    }
    CHECK_EQUAL(6, parts);
    CHECK(threads() > 1);
    CHECK_EQUAL(0, omp_pause_resource(omp_pause_hard, omp_get_initial_device()));
    for (int looks = 0; threads() > 1 && looks < 1000; ++looks) usleep(1000);
    CHECK_EQUAL(1, threads());
  }
  return ok();
}
