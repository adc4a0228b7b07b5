// Under regions of our own a debugger finds the list of libraries that could explain them (OMPD), and it
// is empty.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>

#include "check.h"

int main(void) {
#pragma omp parallel
  sched_yield();
  if (has_own_regions()) {
    const char* const* const* const list = dlsym(RTLD_DEFAULT, "ompd_dll_locations");
    CHECK(list && *list);
    CHECK((*list)[0] == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "ompd_dll_locations_valid") != NULL);
  }
  return ok();
}
