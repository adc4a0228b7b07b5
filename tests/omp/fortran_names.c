// The functions of LLVM's runtime that a Fortran compiler's program calls: the API's names with an
// underscore at the end, and most values by address.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

void omp_set_num_threads_(const int*);
void omp_set_dynamic_(const int*);
void omp_set_schedule_(const omp_sched_t*, const int*);
void omp_set_default_device_(const int*);
int omp_in_final_(void);
int omp_in_explicit_task_(void);
void omp_fulfill_event_(omp_event_handle_t);

enum { kTasks = 40, kSetters = 4, kChunk = 4 };

// One setter per task: each inherits everything that was set before.
static void set_one(int i) {
  const int value = 10 + i, dynamic = 1;
  const omp_sched_t kind = omp_sched_dynamic;
  if (i % kSetters == 0) omp_set_num_threads_(&value);
  if (i % kSetters == 1) omp_set_dynamic_(&dynamic);
  if (i % kSetters == 2) omp_set_schedule_(&kind, &value);
  if (i % kSetters == 3) omp_set_default_device_(&value);
}

// The effect of set_one(i) on the initial values; -1 without any.
static void check_set(int threads, int i) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  const int which = i < 0 ? -1 : i % kSetters;
  CHECK_EQUAL(which == 0 ? 10 + i : threads, omp_get_max_threads());
  CHECK_EQUAL(which == 1, omp_get_dynamic());
  CHECK_EQUAL(which == 2 ? 10 + i : kChunk, chunk);
  CHECK_EQUAL(which == 3 ? 10 + i : 0, omp_get_default_device());
}

int main(void) {
  const int threads = omp_get_max_threads();
  int done = 0;
  omp_set_dynamic(0);
  omp_set_schedule(omp_sched_dynamic, kChunk);
  omp_set_default_device(0);
#pragma omp parallel
  {
    CHECK_EQUAL(0, omp_in_explicit_task_());
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done) firstprivate(i) final(i % 3 == 0)
      {
        CHECK_EQUAL(1, omp_in_explicit_task_());
        CHECK_EQUAL(i % 3 == 0, omp_in_final_());
        check_set(threads, -1);
        set_one(i);
#pragma omp task shared(done) firstprivate(i)
        {
          check_set(threads, i);
          set_one(i + 1);
          add(&done, 1);
        }
#pragma omp taskwait
        check_set(threads, i);
      }
      omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
      {
        add(&done, 1);
        omp_fulfill_event_(event);
      }
    }
#pragma omp taskwait
    check_set(threads, -1);
  }
  CHECK_EQUAL(2 * threads * kTasks, done);
  return ok();
}
