// After the program has chosen the CPUs of a thread (kmp_set_affinity), in a region, a thread that says
// that it is at a place in a later region is there.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

static void choose_all(int cpus) {
  kmp_affinity_mask_t mask;
  kmp_create_affinity_mask(&mask);
  for (int cpu = 0; cpu < cpus; ++cpu) kmp_set_affinity_mask_proc(cpu, &mask);
  CHECK_EQUAL(0, kmp_set_affinity(&mask));
  kmp_destroy_affinity_mask(&mask);
}

static void compare_places(int threads) {
#pragma omp parallel num_threads(threads)
  if (omp_get_place_num() >= 0) find_own_place();
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("KMP_AFFINITY", "explicit,proclist=[%d,%d]", NULL, argv);
  const int threads = omp_get_max_threads(), cpus = kmp_get_affinity_max_proc();
  compare_places(threads);
#pragma omp parallel  // the workers, then their leader
  if (omp_get_thread_num() > 0) choose_all(cpus);
  for (int size = threads + 1; size >= threads; --size) compare_places(size);
#pragma omp parallel
  if (omp_get_thread_num() == 0) choose_all(cpus);
  CHECK_EQUAL(-1, omp_get_place_num());
  for (int size = threads + 1; size >= threads; --size) compare_places(size);
  return ok();
}
