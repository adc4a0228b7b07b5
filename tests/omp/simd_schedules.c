// schedule(simd: guided) and (simd: runtime), which clang 19 does not emit: each iteration once, in
// whole chunks. And LLVM's schedule of its own, trapezoidal.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kGuidedSimd = 46, kRuntimeSimd = 47, kTrapezoidal = 101, kWidth = 4, kCount = 103 };

void __kmpc_dispatch_init_4(void*, int, int, int, int, int, int);
int __kmpc_dispatch_next_4(void*, int, int*, int*, int*, int*);
int __kmpc_global_thread_num(void*);

static struct {
  int reserved, flags, more[2];
  const char* source;
} here = {0, 2, {0, 0}, ";file;function;0;0;;"};

static int runs[kCount];

// Iterations 0 to kCount - 1, whose chunks are multiples of `unit`, all but the last.
static void loop_in_units(int threads, int schedule, int width, int unit) {
  memset(runs, 0, sizeof runs);
#pragma omp parallel num_threads(threads)
  {
    const int thread = __kmpc_global_thread_num(&here);
    int last = 0, lower = 0, upper = 0, stride = 0;
    __kmpc_dispatch_init_4(&here, thread, schedule, 0, kCount - 1, 1, width);
    while (__kmpc_dispatch_next_4(&here, thread, &last, &lower, &upper, &stride)) {
      CHECK(last || (upper - lower + 1) % unit == 0);
      CHECK_EQUAL(upper == kCount - 1, last);
      CHECK_EQUAL(1, stride);
      for (int i = lower; i <= upper; ++i) add(&runs[i], 1);
    }
  }
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(1, runs[i]);
}

static void at_run_time(int threads, int kind, int chunk) {
  omp_sched_t found = omp_sched_static;
  int its_chunk = 0;
  omp_set_schedule((omp_sched_t)kind, chunk);
  omp_get_schedule(&found, &its_chunk);
  CHECK_EQUAL(kind, found);
  // A chunk of auto has no meaning.
  const int unit = chunk > 0 && kind != omp_sched_auto ? chunk * kWidth : kWidth;
  loop_in_units(threads, kRuntimeSimd, kWidth, unit);
}

int main(void) {
  for (int threads = 1; threads <= 4; ++threads) {
    loop_in_units(threads, kGuidedSimd, kWidth, kWidth);
    for (int chunk = 0; chunk <= 3; ++chunk) {
      at_run_time(threads, omp_sched_static, chunk);
      at_run_time(threads, omp_sched_dynamic, chunk);
      at_run_time(threads, omp_sched_guided, chunk);
      at_run_time(threads, omp_sched_auto, chunk);
    }
    omp_set_schedule((omp_sched_t)kTrapezoidal, 2);
    int sum = 0;
#pragma omp parallel for num_threads(threads) schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < kCount; ++i) sum += i;
    CHECK_EQUAL(kCount * (kCount - 1) / 2, sum);
    omp_sched_t found = omp_sched_static;
    int chunk = 0;
    omp_get_schedule(&found, &chunk);
    CHECK_EQUAL(kTrapezoidal, (int)found);
    CHECK_EQUAL(2, chunk);
  }
  return ok();
}
