// A library with tasks of its own, for two_runtimes.c and plugin.c: fib by tasks, in a region that
// it opens itself.
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

int library_fib(int n, int threads) {
  int result = -1;
#pragma omp parallel num_threads(threads) shared(result)
#pragma omp single
  {
    team = omp_get_num_threads();
    result = fib(n);
  }
  return result;
}

int library_team(void) { return team; }
