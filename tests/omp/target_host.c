// Target constructs and OpenMP's functions for devices on a machine without one: the host is the device.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "check.h"

enum { kCount = 100, kTeams = 3, kRow = 10 };

struct large {
  double values[9];
};

// A firstprivate variable is the region's own, however large; a mapped one is the program's.
static void test_data(void) {
  int mapped = 1, small = 5;
  struct large large = {{0, 0, 4}};
#pragma omp target map(tofrom : mapped) firstprivate(small, large)
  {
    small += 1;
    large.values[2] += 1;
    mapped += small + (int)large.values[2];
  }
  CHECK_EQUAL(1 + 6 + 5, mapped);
  CHECK_EQUAL(5, small);
  CHECK(large.values[2] == 4);
}

// A league of teams, each with threads as the clause allows; nothing of it stays behind.
static void test_teams(void) {
  int numbers = 0, teams = 0, threads = 0;
  const int limit = omp_get_thread_limit();
#pragma omp target teams num_teams(kTeams) thread_limit(1) map(tofrom : numbers, teams, threads)
  {
    numbers += omp_get_team_num() + 1;
    teams = omp_get_num_teams();
#pragma omp parallel
#pragma omp atomic
    ++threads;
  }
  CHECK_EQUAL(1 + 2 + 3, numbers);
  CHECK_EQUAL(kTeams, teams);
  CHECK_EQUAL(kTeams, threads);
  CHECK_EQUAL(1, omp_get_num_teams());
  CHECK_EQUAL(0, omp_get_team_num());
  CHECK_EQUAL(limit, omp_get_thread_limit());

  int inside = 0;
#pragma omp target thread_limit(1) map(tofrom : inside)
  inside = omp_get_thread_limit();
  CHECK_EQUAL(1, inside);
  CHECK_EQUAL(limit, omp_get_thread_limit());
}

static void test_loop(void) {
  int values[kCount];
  for (int i = 0; i < kCount; ++i) values[i] = i;
  long sum = 0;
#pragma omp target data map(to : values)
  {
#pragma omp target update to(values)
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < kCount; ++i) sum += values[i];
  }
  CHECK_EQUAL(kCount * (kCount - 1) / 2, (int)sum);
}

static void test_memory(void) {
  const int host = omp_get_initial_device();
  int values[kCount];
  for (int i = 0; i < kCount; ++i) values[i] = i;
  int* const copy = omp_target_alloc(sizeof values, host);
  CHECK(copy != NULL);
  CHECK(omp_target_is_present(copy, host));
  const size_t four = 4 * sizeof(int);
  CHECK_EQUAL(0, omp_target_memcpy(copy, values, sizeof values, 0, 0, host, host));
  CHECK_EQUAL(0, omp_target_memcpy(copy, values, sizeof(int), 0, four, host, host));
  CHECK_EQUAL(4, copy[0]);
  CHECK_EQUAL(kCount - 1, copy[kCount - 1]);

  // Two rows of three, from the right of one square to the inside of another.
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) >= 3);
  const size_t volume[] = {2, 3}, into[] = {1, 1}, from[] = {0, 7}, square[] = {kRow, kRow};
  CHECK_EQUAL(0, omp_target_memcpy_rect(copy, values, sizeof(int), 2, volume, into, from, square,
                                        square, host, host));
  for (int i = 0; i < kCount; ++i) {
    const int row = i / kRow, column = i % kRow;
    const int is_inside = (row == 1 || row == 2) && column >= 1 && column <= 3;
    CHECK_EQUAL(is_inside ? i - 1 * kRow - 1 + 7 : i == 0 ? 4 : i, copy[i]);
  }
  omp_target_free(copy, host);
}

// A target construct has control variables of its own, on any thread; those around it stay.
static void test_control_variables(void) {
  const int before = omp_get_max_threads();  // nothing has set it
#pragma omp parallel num_threads(2)
  {
    omp_set_num_threads(5);
#pragma omp target if (0) thread_limit(1)
    omp_set_num_threads(2);
    CHECK_EQUAL(5, omp_get_max_threads());
  }
  CHECK_EQUAL(before, omp_get_max_threads());
  omp_set_num_threads(before + 3);
  CHECK_EQUAL(before + 3, omp_get_max_threads());
}

int main(void) {
  test_control_variables();
  test_data();
  test_teams();
  test_loop();
  test_memory();
  return ok();
}
