// proc_bind clauses: which place each thread gets, and which places are in its partition; teams of
// changing sizes and policies. What OpenMP leaves to the runtime is not asked for.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

static struct where found[kMostThreads];

// Neighbours or not: each place has as many threads as each other, or one more.
static void check_shared(int threads, int places) {
  for (int place = 0; place < places; ++place) {
    int count = 0;
    for (int i = 0; i < threads; ++i) count += found[i].place == place;
    CHECK(count == threads / places || count == (threads + places - 1) / places);
  }
}

static void check_close(int threads, int places) {
  for (int i = 0; i < threads; ++i) {
    CHECK_EQUAL(places, found[i].count);
    if (threads <= places) CHECK_EQUAL((found[0].place + i) % places, found[i].place);
  }
  check_shared(threads, places);
}

static void check_spread(int threads, int places) {
  if (threads > places) {
    for (int i = 0; i < threads; ++i) CHECK_EQUAL(1, found[i].count);
    check_shared(threads, places);
    return;
  }
  int sum = 0;
  for (int i = 0; i < threads; ++i) {
    CHECK(found[i].count == places / threads || found[i].count == places / threads + 1);
    sum += found[i].count;
    if (i > 0) {
      CHECK_EQUAL(found[i].first, found[i].place);
      CHECK_EQUAL((found[i - 1].first + found[i - 1].count) % places, found[i].first);
    }
  }
  CHECK_EQUAL(places, sum);
}

static void check_primary(int threads, int places) {
  for (int i = 0; i < threads; ++i) {
    CHECK_EQUAL(found[0].place, found[i].place);
    CHECK_EQUAL(places, found[i].count);
  }
}

static void run_all(int threads, int places) {
  int size = 0;
#pragma omp parallel num_threads(threads) proc_bind(close)
  {
    found[omp_get_thread_num()] = find_own_place();
#pragma omp single
    size = omp_get_num_threads();
  }
  check_close(size, places);
#pragma omp parallel num_threads(threads) proc_bind(spread)
  {
    found[omp_get_thread_num()] = find_own_place();
#pragma omp single
    size = omp_get_num_threads();
  }
  check_spread(size, places);
#pragma omp parallel for num_threads(threads) proc_bind(master) schedule(static, 1)
  for (int i = 0; i < threads; ++i) found[i] = find_own_place();
  check_primary(size, places);
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("OMP_PLACES", "{%d},{%d},{%d},{%d},{%d}", NULL, argv);
  CHECK_EQUAL(5, omp_get_num_places());
  CHECK(omp_get_proc_bind() != omp_proc_bind_false);
  CHECK_EQUAL(0, find_own_place().place);
  CHECK_EQUAL(0, omp_get_place_num_procs(-1));
  CHECK_EQUAL(0, omp_get_place_num_procs(5));
  const int most = omp_get_max_threads();
  for (int round = 0; round < 3; ++round) {
    for (int threads = 1; threads <= most; threads = threads < 8 ? threads + 1 : threads * 2) {
      run_all(threads, 5);
    }
  }
  int done = 0;
  // Without a clause GNU's runtime leaves threads where proc_bind(master) has put them.
#pragma omp parallel proc_bind(close)
  {
    find_own_place();
#pragma omp task shared(done)
    add(&done, 1);
  }
  CHECK_EQUAL(most, done);
  CHECK_EQUAL(0, find_own_place().place);
  CHECK_EQUAL(5, find_own_place().count);
  return ok();
}
