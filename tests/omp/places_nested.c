// A policy for each level: the outer region's threads spread and divide the places, and those of the
// inner regions stay in the partition of the thread that opens them.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("OMP_PLACES", "{%d},{%d},{%d},{%d}", "spread,close", argv);
  omp_set_max_active_levels(2);
  CHECK_EQUAL(omp_proc_bind_spread, omp_get_proc_bind());
  int done = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(2)
    {
      CHECK_EQUAL(omp_proc_bind_close, omp_get_proc_bind());
      const struct where outer = find_own_place();
      const int threads = omp_get_num_threads();
      CHECK_EQUAL(4 / threads, outer.count);
#pragma omp parallel num_threads(2)
      {
        const struct where inner = find_own_place();
        CHECK_EQUAL(outer.first, inner.first);
        CHECK_EQUAL(outer.count, inner.count);
        CHECK_EQUAL(omp_get_num_threads() == 2 ? (inner.place != outer.place) : 0,
                    omp_get_thread_num());
#pragma omp task shared(done)
        add(&done, 1);
      }
#pragma omp parallel num_threads(4) proc_bind(spread)
      {
        CHECK_EQUAL(1, find_own_place().count);
      }
      CHECK_EQUAL(outer.place, find_own_place().place);
      CHECK_EQUAL(outer.count, find_own_place().count);
    }
  }
  CHECK(done >= 20);
  return ok();
}
