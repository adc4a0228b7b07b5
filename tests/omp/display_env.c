// omp_display_env, and OMP_DISPLAY_AFFINITY: each thread of a region tells where it is, once as long
// as nothing changes.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

static char text[1 << 16];

// What `act` writes to the standard streams.
static const char* written_by(void (*act)(void)) {
  FILE* const file = tmpfile();
  const int out = dup(1), err = dup(2);
  fflush(stdout);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
  act();
  fflush(stdout);
  fflush(stderr);
  dup2(out, 1);
  dup2(err, 2);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static int count(const char* in, const char* what) {
  int found = 0;
  for (const char* at = strstr(in, what); at; at = strstr(at + 1, what)) ++found;
  return found;
}

static void show_variables(void) { omp_display_env(0); }
static void show_all(void) { omp_display_env(1); }
static void open_regions(void) {
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(2)
    sched_yield();
  }
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_SCHEDULE", "guided,7", argv);
  run_with("OMP_DISPLAY_AFFINITY", "true", argv);
  run_with("OMP_AFFINITY_FORMAT", "thread %0.3n of %N", argv);
  CHECK(omp_get_max_threads() >= 1);  // the runtime has begun
  const char* const shown = written_by(show_variables);
  CHECK_EQUAL(1, count(shown, "OPENMP DISPLAY ENVIRONMENT BEGIN"));
  CHECK_EQUAL(1, count(shown, "OPENMP DISPLAY ENVIRONMENT END"));
  CHECK_EQUAL(1, count(shown, "OMP_NUM_THREADS"));
  CHECK(strcasestr(shown, "guided,7") != NULL);
  CHECK_EQUAL(1, count(written_by(show_all), "OMP_CANCELLATION"));
  const char* const told = written_by(open_regions);
  CHECK_EQUAL(1, count(told, "thread 000 of 2"));
  CHECK_EQUAL(1, count(told, "thread 001 of 2"));
  return ok();
}
