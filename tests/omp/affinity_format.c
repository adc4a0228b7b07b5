// The affinity format: fields by letter and by name, filled and not, in a buffer that is too short;
// the variable set by the program.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static void check(const char* format, const char* expected) {
  char line[200];
  CHECK_EQUAL(strlen(expected), omp_capture_affinity(line, sizeof line, format));
  if (strcmp(line, expected) != 0) {
    fprintf(stderr, "%s: expected '%s', got '%s'\n", format, expected, line);
    exit(1);
  }
}

int main(void) {
  char expected[200];
  omp_set_affinity_format("L%L %%");
  CHECK_EQUAL(4, omp_get_affinity_format(NULL, 0) - 2);
  CHECK_EQUAL(6, omp_get_affinity_format(expected, 4));
  CHECK_EQUAL(0, strcmp(expected, "L%L"));
  check("", "L0 %");
  check(NULL, "L0 %");
  check("%n of %N, %{thread_num} of %{num_threads}", "0 of 1, 0 of 1");
  check("%4n|%.4n|%0.4n|", "0   |   0|0000|");
  check("%a %t %T %{nesting_level}", "-1 0 1 0");
  snprintf(expected, sizeof expected, "%d", (int)getpid());
  check("%P", expected);
  check("%{process_id}", expected);
#pragma omp parallel num_threads(2)
  {
    char line[100], own[100];
    omp_capture_affinity(line, sizeof line, "%n/%N/%L/%a");
    snprintf(own, sizeof own, "%d/%d/1/0", omp_get_thread_num(), omp_get_num_threads());
    CHECK_EQUAL(0, strcmp(line, own));
    omp_capture_affinity(line, sizeof line, "%i %A %H");
    CHECK(strlen(line) > 4);
  }
  return ok();
}
