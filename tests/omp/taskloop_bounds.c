// Bounds of taskloop: unsigned 64-bit beyond 2^63, the whole negative and positive range of signed,
// negative steps, steps larger than the range, and loops without iterations.
/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "check.h"

static unsigned long long seen_sum;
static int seen_count;

static void see(unsigned long long i) {
  __atomic_fetch_add(&seen_sum, i, __ATOMIC_RELAXED);
  add(&seen_count, 1);
}

// The variables' types and steps differ, the check is the same: run the loop again, serially.
#define CHECK_LOOP(type, first, condition, step, clause)                                 \
  do {                                                                                   \
    unsigned long long sum = 0;                                                          \
    int count = 0;                                                                       \
    seen_sum = 0;                                                                        \
    seen_count = 0;                                                                      \
    const type from = (type)(first);                                                     \
    for (type i = from; condition; step) {                                               \
      sum += (unsigned long long)i;                                                      \
      ++count;                                                                           \
    }                                                                                    \
    _Pragma(clause) for (type i = from; condition; step) { see((unsigned long long)i); } \
    CHECK_EQUAL(count, seen_count);                                                      \
    CHECK_EQUAL(sum, seen_sum);                                                          \
  } while (0)

int main(int argc, char** argv) {
  (void)argv;
  const unsigned long long high = ULLONG_MAX - 1000;
  const long long low = LLONG_MIN + 5;
  const int none = -argc;
  int down = 0;
#pragma omp parallel
#pragma omp single
  {
    CHECK_LOOP(unsigned long long, high, i < high + 900, i += 7, "omp taskloop grainsize(10)");
    CHECK_LOOP(unsigned long long, high + 900, i > high, i -= 13, "omp taskloop num_tasks(6)");
    CHECK_LOOP(unsigned long long, (1ULL << 63) - 50, i <= (1ULL << 63) + 50, ++i,
               "omp taskloop num_tasks(11)");
    CHECK_LOOP(long long, low, i < low + 400, i += 9, "omp taskloop grainsize(4)");
    CHECK_LOOP(long long, 200, i >= -200, i -= 3, "omp taskloop grainsize(8)");
    CHECK_LOOP(int, 50, i > -50, --i, "omp taskloop grainsize(7)");
    CHECK_LOOP(int, INT_MAX - 60, i < INT_MAX - 10, i += 4, "omp taskloop num_tasks(5)");
    CHECK_LOOP(int, INT_MIN + 60, i > INT_MIN + 10, i -= 4, "omp taskloop num_tasks(5)");
    CHECK_LOOP(unsigned, 4000000000u, i < 4000000100u, i += 3, "omp taskloop grainsize(2)");
    CHECK_LOOP(short, 100, i > -100, --i, "omp taskloop");
    CHECK_LOOP(unsigned char, 10, i < 200, ++i, "omp taskloop");
    CHECK_LOOP(int, 0, i < 10, i += 1000, "omp taskloop");
    CHECK_LOOP(int, 0, i < none, ++i, "omp taskloop");
#ifdef __clang__
    // gcc 12 passes a step of 2^32 - 3 to its runtime here, and no iteration runs;
    CHECK_LOOP(unsigned, 4000000100u, i > 4000000000u, i -= 3, "omp taskloop grainsize(2)");
    // and these have iterations there.
    CHECK_LOOP(unsigned long long, high, i < 5, ++i, "omp taskloop num_tasks(5)");
    CHECK_LOOP(unsigned long long, 5, i > high, --i, "omp taskloop num_tasks(5)");
#endif
#pragma omp taskloop shared(down)
    for (int i = none; i > 0; --i) add(&down, 1);
    CHECK_EQUAL(0, down);
  }
  return ok();
}
