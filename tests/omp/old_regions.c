// Regions as compiled by gcc before 4.9: one call begins the region, the caller runs the body
// itself, another call ends it; also those of one worksharing construct. And
// GOMP_parallel_loop_static, whose loops today's gcc splits itself.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

typedef void body(void*);

// The functions that such a binary calls, from libgomp's sources.
void GOMP_parallel_start(body*, void*, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_static_start(body*, void*, unsigned threads, long first, long end,
                                     long step, long chunk);
void GOMP_parallel_loop_dynamic_start(body*, void*, unsigned threads, long first, long end,
                                      long step, long chunk);
void GOMP_parallel_loop_guided_start(body*, void*, unsigned threads, long first, long end,
                                     long step, long chunk);
void GOMP_parallel_loop_runtime_start(body*, void*, unsigned threads, long first, long end,
                                      long step);
void GOMP_parallel_sections_start(body*, void*, unsigned threads, unsigned count);
void GOMP_parallel_loop_static(body*, void*, unsigned threads, long first, long end, long step,
                               long chunk, unsigned flags);
_Bool GOMP_loop_static_next(long* first, long* end);
_Bool GOMP_loop_dynamic_next(long* first, long* end);
_Bool GOMP_loop_guided_next(long* first, long* end);
_Bool GOMP_loop_runtime_next(long* first, long* end);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

enum { kIterations = 100, kSections = 8 };

static int visits[kIterations];
static int parts, inner_parts;

static void visit(long i) {
#pragma omp task firstprivate(i)
  {
    add(&visits[i], 1);
#pragma omp task firstprivate(i)
    add(&visits[i], 1);
  }
}

static void run_loop(_Bool (*next)(long*, long*)) {
  long first, end;
  while (next(&first, &end)) {
    for (long i = first; i < end; ++i) visit(i);
  }
  GOMP_loop_end_nowait();
}

static void static_loop(void* data) {
  (void)data;
  run_loop(GOMP_loop_static_next);
}

static void dynamic_loop(void* data) {
  (void)data;
  run_loop(GOMP_loop_dynamic_next);
}

static void guided_loop(void* data) {
  (void)data;
  run_loop(GOMP_loop_guided_next);
}

static void runtime_loop(void* data) {
  (void)data;
  run_loop(GOMP_loop_runtime_next);
}

static void sections(void* data) {
  int* const done = data;
  for (unsigned number = GOMP_sections_next(); number != 0; number = GOMP_sections_next()) {
#pragma omp task firstprivate(number)
    add(done, (int)number);
  }
  GOMP_sections_end_nowait();
}

static void inner_part(void* data) {
  (void)data;
#pragma omp task
  add(&inner_parts, 1);
}

static void part(void* data) {
  CHECK_EQUAL(7, *(int*)data);
#pragma omp task
  {
#pragma omp task
    add(&parts, 1);
  }
#pragma omp barrier
  CHECK_EQUAL(omp_get_num_threads(), value_of(&parts));
  GOMP_parallel_start(inner_part, NULL, 2);
  inner_part(NULL);
  GOMP_parallel_end();
#pragma omp taskwait
}

static void check_visits(int times) {
  for (int i = 0; i < kIterations; ++i) CHECK_EQUAL(2 * times, visits[i]);
}

int main(void) {
  omp_set_max_active_levels(2);
  const int threads = omp_get_max_threads();
  int seven = 7;
  for (int round = 0; round < 3; ++round) {
    parts = inner_parts = 0;
    GOMP_parallel_start(part, &seven, 0);
    part(&seven);
    GOMP_parallel_end();
    CHECK_EQUAL(threads, parts);
    CHECK(inner_parts >= threads && inner_parts <= 2 * threads);
    CHECK_EQUAL(1, omp_get_num_threads());
  }
  GOMP_parallel_loop_static(static_loop, NULL, 0, 0, kIterations, 1, 0, 0);
  check_visits(1);
  GOMP_parallel_loop_static(static_loop, NULL, 1, 0, kIterations, 1, 7, 0);
  check_visits(2);
  GOMP_parallel_loop_static_start(static_loop, NULL, 0, 0, kIterations, 1, 3);
  static_loop(NULL);
  GOMP_parallel_end();
  check_visits(3);
  GOMP_parallel_loop_dynamic_start(dynamic_loop, NULL, 0, 0, kIterations, 1, 3);
  dynamic_loop(NULL);
  GOMP_parallel_end();
  check_visits(4);
  GOMP_parallel_loop_guided_start(guided_loop, NULL, 0, 0, kIterations, 1, 3);
  guided_loop(NULL);
  GOMP_parallel_end();
  check_visits(5);
  GOMP_parallel_loop_runtime_start(runtime_loop, NULL, 0, 0, kIterations, 1);
  runtime_loop(NULL);
  GOMP_parallel_end();
  check_visits(6);
  int done = 0;
  GOMP_parallel_sections_start(sections, &done, 0, kSections);
  sections(&done);
  GOMP_parallel_end();
  CHECK_EQUAL(kSections * (kSections + 1) / 2, done);

  return ok();
}
