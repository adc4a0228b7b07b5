// Regions like the one before bind nobody anew: no call of the system's function for it.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>

#include "places.h"

static int calls;

// In place of the C library's.
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t* set) {
  add(&calls, 1);
  int (*const next)(pthread_t, size_t, const cpu_set_t*) =
      (int (*)(pthread_t, size_t, const cpu_set_t*))dlsym(RTLD_NEXT, "pthread_setaffinity_np");
  return next(thread, bytes, set);
}

static void open_regions(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    find_own_place();
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("OMP_PLACES", "{%d},{%d}", NULL, argv);
  open_regions(1);
  const int before = value_of(&calls);
  open_regions(50);
  CHECK_EQUAL(before, value_of(&calls));
  return ok();
}
