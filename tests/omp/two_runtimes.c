// Code of both compilers in one process: a library built by the other one, with tasks in its own
// regions, called before, inside and after this one's tasks and regions. gcc's program with clang's
// library has two runtimes. clang's program with gcc's library has both loaded, but LLVM's provides
// gcc's entry points, too, unless the library is opened so that its own dependences come first:
// plugin_deep.c.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int library_fib(int n, int threads);

enum { kTasks = 12 };

int main(void) {
  const int threads = omp_get_max_threads();
  const int inner = threads < 4 ? threads : 4;
  int done = 0, sum = 0;
  CHECK_EQUAL(144, library_fib(12, inner));
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done, sum)
      {
        int child = 0;
#pragma omp task shared(child)
        add(&child, 1);
        // Only one of the library's regions at a time: a machine has only so many threads.
        int result;
#pragma omp critical
        result = library_fib(8, 2);
        CHECK_EQUAL(21, result);
#pragma omp taskwait
        CHECK_EQUAL(1, child);
        add(&sum, result);
        add(&done, 1);
      }
    }
    CHECK_EQUAL(threads, omp_get_num_threads());
    CHECK_EQUAL(kTasks, value_of(&done));
  }
  CHECK_EQUAL(21 * kTasks, sum);
  CHECK_EQUAL(144, library_fib(12, inner));
  return ok();
}
