// teams on the host: each team's region has its own tasks.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 30 };

int main(void) {
  int teams = 0, regions = 0, done = 0, alone = 0;
#pragma omp teams num_teams(2) shared(teams, regions, done, alone)
  {
    add(&teams, 1);
    const int team = omp_get_team_num();
    int mine = 0;
#pragma omp parallel num_threads(2) shared(mine)
    {
      add(&regions, 1);
#pragma omp single
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(mine) firstprivate(team)
        {
          CHECK_EQUAL(team, omp_get_team_num());
          add(&mine, 1);
        }
      }
    }
    CHECK_EQUAL(kTasks, mine);
    add(&done, mine);
#pragma omp parallel num_threads(1)
    {
#pragma omp task shared(alone)
      add(&alone, 1);
    }
  }
  CHECK(teams >= 1 && teams <= 2);
  CHECK(regions >= teams);
  CHECK_EQUAL(teams * kTasks, done);
  CHECK_EQUAL(teams, alone);
  return ok();
}
