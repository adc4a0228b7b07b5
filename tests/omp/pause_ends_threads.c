// omp_pause_resource ends the threads that wait for the next region, those of nested regions, too; the
// next region has as many as before.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>

#include "check.h"

static int threads(void) {
  DIR* const folder = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent* each = readdir(folder); each; each = readdir(folder)) {
    count += each->d_name[0] != '.';
  }
  closedir(folder);
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
