// Two runtimes in clang's program: gcc's library is opened with RTLD_DEEPBIND, so that its entry
// points are its own runtime's, and runs beside and inside tasks of this program's. The library's
// path is the file beside this program.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <limits.h>

#include "check.h"

enum { kTasks = 12 };

int main(void) {
  const int threads = omp_get_max_threads();
  char path[PATH_MAX + sizeof ".so"];
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  CHECK(length > 0);
  snprintf(path + length, sizeof ".so", ".so");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  CHECK(library);
  int (*library_fib)(int, int);
  *(void**)&library_fib = dlsym(library, "library_fib");
  CHECK(library_fib);

  int sum = 0, children = 0;
  CHECK_EQUAL(144, library_fib(12, 2));
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(sum, children)
    {
      int child = 0;
#pragma omp task shared(child)
      add(&child, 1);
      int result;
      // Only one of the library's regions at a time: a machine has only so many threads.
#pragma omp critical
      result = library_fib(8, 2);
      CHECK_EQUAL(omp_get_num_threads(), threads);
#pragma omp taskwait
      add(&sum, result);
      add(&children, child);
    }
  }
  CHECK_EQUAL(21 * kTasks, sum);
  CHECK_EQUAL(kTasks, children);
  CHECK_EQUAL(144, library_fib(12, 2));
  return ok();
}
