// std::threads that open regions at the same time: each is the master of a team with tasks of its
// own.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "check.h"

namespace {

int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int regions(int threads, int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    sum += fib(8);
  }
  return sum;
}

}  // namespace

int main() {
  constexpr int kThreads = 3;
  const int team = omp_get_max_threads() < 4 ? omp_get_max_threads() : 4;
  static int sums[kThreads], finished[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    std::thread([i, team] {
      sums[i] = regions(team, 5);
      set_flag(&finished[i]);
      for (;;) pause();  // LLVM's runtime sometimes fails when such a thread ends
    }).detach();
  }
  const int own = regions(team, 5);
  for (const int& flag : finished) wait_for_flag(&flag);
  CHECK_EQUAL(105, own);
  for (const int sum : sums) CHECK_EQUAL(105, sum);
  return ok();
}
