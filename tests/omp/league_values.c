// The number of teams and the limit of their threads, set by the program.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  int teams = 0;
  omp_set_num_teams(2);
  omp_set_teams_thread_limit(2);
  CHECK_EQUAL(2, omp_get_max_teams());
  CHECK_EQUAL(2, omp_get_teams_thread_limit());
#pragma omp teams reduction(+ : teams)
  teams += 1;
  CHECK_EQUAL(2, teams);
  return ok();
}
