// Arguments of type bool whose register has more than its lowest byte set, as gcc may leave it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

_Bool GOMP_loop_ull_dynamic_start(unsigned long up, unsigned long long start,
                                  unsigned long long end, unsigned long long step,
                                  unsigned long long chunk, unsigned long long* first,
                                  unsigned long long* last);
void GOMP_loop_end(void);
_Bool GOMP_cancel(int which, unsigned long is_wanted);
void GOMP_task(void (*routine)(void*), void* data, void (*copy)(void*, void*), long bytes,
               long alignment, unsigned long deferred, unsigned flags, void** depend, int priority,
               void* detach);

static const unsigned long kFalse = 0xabcdef00;

static void set(void* data) { **(int**)data = 1; }

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);  // GOMP_cancel does nothing else
#pragma omp parallel num_threads(2)
  {
    unsigned long long first = 0;
    unsigned long long last = 0;
    if (GOMP_loop_ull_dynamic_start(kFalse, 10, 0, -1ULL, 20, &first, &last)) {
      CHECK_EQUAL(10, first);
      CHECK_EQUAL(0, last);
    }
    GOMP_loop_end();

    enum { kLoop = 2 };
    CHECK_EQUAL(0, GOMP_cancel(kLoop, kFalse));

    int done = 0;
    int* where = &done;
    GOMP_task(set, &where, NULL, sizeof where, sizeof where, kFalse, 0, NULL, 0, NULL);
    CHECK(done);
  }
  return ok();
}
