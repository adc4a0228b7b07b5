// FINEGRAIN_OMP_ADAPT=1: regions that lose by being parallel end with one thread, others begin with
// all, and none has more than were asked for.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static int in_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

static int in_long_region(void) {
  int threads = 0;
#pragma omp parallel
  {
    const int all = omp_get_num_threads();
    unsigned mixed = 1;
    for (int i = 0; i < 1000 * 1000 / all; ++i) {
      mixed = mixed * 1664525u + 1013904223u;
      __asm__ volatile("" : "+r"(mixed));
    }
#pragma omp single
    threads = all;
  }
  return threads;
}

// Returns when nine of ten regions have one thread: now and then another number is tried.
static void run_until_alone(void) {
  for (int found = 0; found < 90;) {
    found = 0;
    for (int i = 0; i < 100; ++i) {
      const int threads = in_region();
      CHECK(threads >= 1 && threads <= omp_get_max_threads());
      found += threads == 1;
    }
  }
}

static void loops_are_right(int n) {
  long sum = 0;
  int sections = 0, tasks = 0;
#pragma omp parallel for num_threads(n) reduction(+ : sum) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) {
    CHECK(omp_get_num_threads() <= n);
    sum += i;
  }
  CHECK_EQUAL(4950, sum);
#pragma omp parallel sections num_threads(n)
  {
#pragma omp section
    add(&sections, 1);
#pragma omp section
    add(&sections, 2);
  }
  CHECK_EQUAL(3, sections);
  int threads = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      add(&tasks, 1);
    }
#pragma omp barrier
    CHECK_EQUAL(4, value_of(&tasks));
#pragma omp master
    threads = omp_get_num_threads();
  }
  CHECK(threads >= 1 && threads <= n);
}

// A region within itself.
static int nested(int depth) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for
    for (int i = 0; i < 2; ++i) sum += depth == 0 ? 1 : nested(depth - 1);
  }
  return sum;
}

static int level_inside(void) {
  int level = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
  level = omp_get_level();
  return level;
}

// One region, opened again and again, in which this round does something that others do not.
static void leaves_behind(int what, int level) {
  const int most = omp_get_max_threads();
  int done = 0;
#pragma omp parallel num_threads(2) reduction(+ : done)
  {
    CHECK_EQUAL(most, omp_get_max_threads());
    CHECK_EQUAL(level, omp_get_level());
    if (level == 1) CHECK_EQUAL(omp_get_num_threads() > 1, omp_in_parallel());
    CHECK(omp_get_ancestor_thread_num(level) == omp_get_thread_num());
    int local = 0;
    switch (what) {
      case 1:
        omp_set_num_threads(most + 5);
        break;
      case 2:
#pragma omp taskgroup task_reduction(+ : local)
#pragma omp task in_reduction(+ : local)
        ++local;
        CHECK_EQUAL(1, local);
        break;
      case 3:
#pragma omp task if (0) shared(local)
        ++local;
        CHECK_EQUAL(1, local);
        break;
      case 4:
        leaves_behind(5, level + 1);
        leaves_behind(1, level + 1);
        leaves_behind(0, level + 1);
        CHECK_EQUAL(level + 1, level_inside());
        break;
      case 5:
#pragma omp task shared(local)
        ++local;
#pragma omp taskwait
        CHECK_EQUAL(1, local);
        break;
      default:
        break;
    }
    ++done;
  }
  CHECK(done == 1 || done == 2);
  CHECK_EQUAL(most, omp_get_max_threads());
}

// What the same program says that only makes an empty region's team smaller.
static void lines_are_right(void) {
  static char text[1 << 16], path[4096], command[8192];
  CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  snprintf(command, sizeof command, "FINEGRAIN_OMP_VERBOSE=1 '%s' told 2>&1", path);
  FILE* const told = popen(command, "r");
  text[fread(text, 1, sizeof text - 1, told)] = '\0';
  CHECK_EQUAL(0, pclose(told));
  CHECK(strstr(text, "FINEGRAIN_OMP_ADAPT = '1'") != NULL);
  CHECK(strstr(text, "adaptive teams: 1 of 1 regions got fewer threads") != NULL);
}

int main(int argc, char** argv) {
  run_with("FINEGRAIN_OMP_ADAPT", "1", argv);
  const int most = omp_get_max_threads();
  if (most == 1 || omp_get_num_procs() == 1) return ok();
  run_until_alone();
  if (argc > 1) {
    omp_display_env(1);
    return 0;
  }
  // What is decided for it depends on what else runs here.
  CHECK_EQUAL(most, in_long_region());
  for (int i = 0; i < 600; ++i) {
    const int threads = in_long_region();
    CHECK(threads >= 1 && threads <= most);
  }
  for (int round = 0; round < 3000; ++round) {
    loops_are_right(1 + round % most);
  }
  omp_set_max_active_levels(3);
  for (int round = 0; round < 3000; ++round) {
    CHECK_EQUAL(8, nested(2));
  }
  for (int round = 0; round < 60000; ++round) {
    leaves_behind(round % 16, 1);
    CHECK_EQUAL(1, level_inside());
  }
  lines_are_right();
  return ok();
}
