// The functions about places as a Fortran compiler's program calls them: with an underscore at the
// end, and values by address.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

int omp_get_num_places_(void);
int omp_get_place_num_(void);
int omp_get_place_num_procs_(const int* number);
void omp_get_place_proc_ids_(const int* number, int* ids);
int omp_get_partition_num_places_(void);
void omp_get_partition_place_nums_(int* numbers);
omp_proc_bind_t omp_get_proc_bind_(void);
int omp_get_place_num_procs_8_(const long long* number);
void omp_get_place_proc_ids_8_(const long long* number, long long* ids);
void omp_get_partition_place_nums_8_(long long* numbers);

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("OMP_PLACES", "{%d,%d},{%d},{%d}", "spread", argv);
  const int places = omp_get_num_places_();
  CHECK_EQUAL(3, places);
  CHECK_EQUAL(omp_proc_bind_spread, omp_get_proc_bind_());
#pragma omp parallel num_threads(2)
  {
    const struct where own = find_own_place();
    CHECK_EQUAL(own.place, omp_get_place_num_());
    CHECK_EQUAL(own.count, omp_get_partition_num_places_());
    int numbers[kMostPlaces];
    omp_get_partition_place_nums_(numbers);
    for (int i = 0; i < own.count; ++i) CHECK_EQUAL(own.first + i, numbers[i]);
    for (int place = 0; place < places; ++place) {
      int ids[2] = {-1, -1}, same[2] = {-1, -1};
      CHECK_EQUAL(omp_get_place_num_procs(place), omp_get_place_num_procs_(&place));
      omp_get_place_proc_ids(place, ids);
      omp_get_place_proc_ids_(&place, same);
      CHECK_EQUAL(ids[0], same[0]);
      CHECK_EQUAL(ids[1], same[1]);
      const long long number = place;
      long long longs[2] = {-1, -1}, long_numbers[kMostPlaces];
      CHECK_EQUAL(omp_get_place_num_procs(place), omp_get_place_num_procs_8_(&number));
      omp_get_place_proc_ids_8_(&number, longs);
      CHECK_EQUAL(ids[0], longs[0]);
      CHECK_EQUAL(ids[1], longs[1]);
      omp_get_partition_place_nums_8_(long_numbers);
      CHECK_EQUAL(own.first, long_numbers[0]);
    }
  }
  return ok();
}
