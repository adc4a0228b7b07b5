// A library with tasks of its own, for two_runtimes.c and plugin.c: fib by tasks, in a region that
// it opens itself, and with a lock of the runtime with which it is linked.
/* SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

int library_fib(int n, int threads);
int library_team(void);  // the size of the last region's team

static int team;

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void count_locked(omp_nest_lock_t* lock, int* sum) {
  omp_set_nest_lock(lock);
  if (omp_test_nest_lock(lock) == 2) {
    *sum += 1;
    omp_unset_nest_lock(lock);
  }
  omp_unset_nest_lock(lock);
}

int library_fib(int n, int threads) {
  int result = -1, locked = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(threads) shared(result, lock, locked)
#pragma omp single
  {
    team = omp_get_num_threads();
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(lock, locked)
      count_locked(&lock, &locked);
    }
    result = fib(n);
  }
  omp_destroy_nest_lock(&lock);
  return locked == 10 ? result : -1;
}

int library_team(void) { return team; }
