// Untied tasks that are resubmitted part by part, with calls that clang does not emit: those of
// older compilers, and of the offloading library, which asks whether it may defer a task.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

// As in LLVM's runtime.
typedef struct {
  int reserved, flags, more[2];
  const char* source;
} ident;
typedef struct task {
  void* shareds;
  int (*routine)(int, struct task*);
  int part;
} task;

int __kmpc_global_thread_num(ident*);
task* __kmpc_omp_task_alloc(ident*, int gtid, int flags, size_t size, size_t shareds,
                            int (*routine)(int, task*));
int __kmpc_omp_task_parts(ident*, int gtid, task*);
_Bool __kmpc_omp_has_task_team(int gtid);

enum { kUntied = 0, kParts = 3, kTasks = 200 };

static ident here = {.flags = 2, .source = ";unknown;unknown;0;0;;"};
static int runs[kParts], children;

static int run_part(int gtid, task* self) {
  while (self->part < kParts) {
    add(&runs[self->part++], 1);
#pragma omp task
    add(&children, 1);
    if (self->part < kParts && __kmpc_omp_has_task_team(gtid)) {
      __kmpc_omp_task_parts(&here, gtid, self);
      return 0;
    }
  }
  return 0;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
      const int gtid = __kmpc_global_thread_num(&here);
      task* const made = __kmpc_omp_task_alloc(&here, gtid, kUntied, sizeof(task), 0, run_part);
      made->part = 0;
      __kmpc_omp_task_parts(&here, gtid, made);
    }
#pragma omp taskwait
    for (int part = 0; part < kParts; ++part) CHECK_EQUAL(kTasks, value_of(&runs[part]));
  }
  CHECK_EQUAL(kParts * kTasks, children);
  return ok();
}
