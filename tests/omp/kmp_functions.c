// What LLVM's runtime has beside OpenMP's functions: kmp_*.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int runs_on_first(kmp_affinity_mask_t* mask) {
  for (int cpu = 1; cpu < kmp_get_affinity_max_proc(); ++cpu) {
    if (kmp_get_affinity_mask_proc(cpu, mask) == 1) return 0;
  }
  return 1;
}

int main(void) {
  kmp_set_blocktime(3);
  CHECK_EQUAL(3, kmp_get_blocktime());
  kmp_set_stacksize_s(4 << 20);
  CHECK_EQUAL(4 << 20, kmp_get_stacksize_s());
  CHECK_EQUAL(4 << 20, kmp_get_stacksize());
  kmp_set_warnings_off();

  char* block = (char*)kmp_malloc(10);
  memset(block, 1, 10);
  block = (char*)kmp_realloc(block, 1000);
  CHECK_EQUAL(1, block[9]);
  kmp_free(block);
  block = (char*)kmp_calloc(10, 10);
  CHECK_EQUAL(0, block[99]);
  kmp_free(block);
  block = (char*)kmp_aligned_malloc(100, 128);
  CHECK_EQUAL(0, (size_t)block % 128);
  kmp_free(block);

  int done = 0;
#pragma omp parallel
  {
#pragma omp task shared(done)
    add(&done, 1);
    kmp_affinity_mask_t all, mask;
    kmp_create_affinity_mask(&all);
    CHECK_EQUAL(0, kmp_get_affinity(&all));
    if (kmp_get_affinity_mask_proc(0, &all) == 1) {
      kmp_create_affinity_mask(&mask);
      CHECK_EQUAL(0, kmp_set_affinity_mask_proc(1, &mask));
      CHECK_EQUAL(0, kmp_unset_affinity_mask_proc(1, &mask));
      CHECK_EQUAL(0, kmp_set_affinity_mask_proc(0, &mask));
      CHECK(kmp_set_affinity_mask_proc(-1, &mask) != 0);
      CHECK_EQUAL(0, kmp_set_affinity(&mask));
      CHECK_EQUAL(0, sched_getcpu());
      kmp_destroy_affinity_mask(&mask);
      kmp_create_affinity_mask(&mask);
      CHECK_EQUAL(0, kmp_get_affinity(&mask));
      CHECK(runs_on_first(&mask));
      kmp_destroy_affinity_mask(&mask);
      CHECK_EQUAL(0, kmp_set_affinity(&all));
    }
    kmp_destroy_affinity_mask(&all);
  }
  CHECK_EQUAL(omp_get_max_threads(), done);
  return ok();
}
