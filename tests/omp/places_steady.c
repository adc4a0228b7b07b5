// Regions like the one before bind nobody anew: threads that were moved meanwhile stay where they are.
// On one CPU there is nothing to see.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

static void open_regions(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    sched_yield();
  }
}

// Not by a function of the runtime, which would take the choice into account.
static void move_to(const cpu_set_t* set) {
  CHECK_EQUAL(0, sched_setaffinity(0, sizeof *set, set));
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("OMP_PLACES", "{%d},{%d}", NULL, argv);
  cpu_set_t both;
  CPU_ZERO(&both);
  for (int place = 0; place < omp_get_num_places(); ++place) {
    int cpu;
    omp_get_place_proc_ids(place, &cpu);
    CPU_SET(cpu, &both);
  }
#pragma omp parallel
  {
    find_own_place();
    move_to(&both);
  }
  open_regions(50);
#pragma omp parallel
  {
    int cpus[kMostCpus];
    CHECK_EQUAL(CPU_COUNT(&both), own_cpus(cpus));
  }
  return ok();
}
