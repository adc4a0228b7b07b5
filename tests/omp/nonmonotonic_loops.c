// Dynamic loops, whose threads may take each other's iterations, without barriers between them: more
// of them than a runtime may have numbers for, in teams of changing sizes, each iteration once.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLoops = 3000, kManyLoops = 70000, kIterations = 7 };

static int sums[kLoops];

static void many_loops(int threads, int expected) {
  memset(sums, 0, sizeof sums);
#pragma omp parallel num_threads(threads)
  for (int loop = 0; loop < kLoops; ++loop) {
#pragma omp for schedule(nonmonotonic : dynamic) nowait
    for (int i = 0; i < kIterations; ++i) add(&sums[loop], 1 << (4 * i));
  }
  for (int loop = 0; loop < kLoops; ++loop) CHECK_EQUAL(expected, sums[loop]);
}

// Forwards and backwards, with chunks, in 64 bits, as the environment says.
static void forms_of_loops(void) {
  long long sum = 0;
  int last = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
#pragma omp for schedule(nonmonotonic : dynamic, 4) nowait
    for (int i = 100; i > 0; i -= 3) sum += i;
#pragma omp for schedule(nonmonotonic : dynamic, 1000) nowait
    for (unsigned long long i = 0; i < 10; ++i) sum += (long long)i;
#pragma omp for schedule(nonmonotonic : dynamic) nowait
    for (long long i = 4000000000000; i < 4000000000005; ++i) sum += i;
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp for schedule(nonmonotonic : dynamic, 2) lastprivate(last)
    for (int i = 0; i < 50; ++i) last = i;
  }
  CHECK_EQUAL(1717 + 45 + 20000000000010 + 4950, sum);
  CHECK_EQUAL(49, last);
}

// A thread that comes to the loop when the others have done all of it.
static void late_thread(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      while (omp_get_num_threads() == 2 && __atomic_load_n(&done, __ATOMIC_RELAXED) != kIterations)
        sched_yield();
    }
#pragma omp for schedule(nonmonotonic : dynamic) nowait
    for (int i = 0; i < kIterations; ++i) add(&done, 1);
  }
  CHECK_EQUAL(kIterations, done);
}

int main(void) {
  const int expected = 0x1111111;
  static const int sizes[] = {2, 4, 1, 3, 8, 2, 5};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) many_loops(sizes[i], expected);

  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  for (int loop = 0; loop < kManyLoops; ++loop) {
#pragma omp for schedule(nonmonotonic : dynamic) nowait
    for (int i = 0; i < 3; ++i) ++sum;
  }
  CHECK_EQUAL(3 * kManyLoops, sum);

  forms_of_loops();
  late_thread();
  return ok();
}
