// Tasks with dependences, taskgroups and events, repeated in one region: after the first rounds the
// drop-in allocates nothing more for them. Allocations by the compilers' own runtimes do not count.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kCells = 16, kRounds = 200, kWarm = 100 };

static int allocations;

// The program's own allocator over glibc's, which all libraries call as well.
void* __libc_malloc(size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* malloc(size_t bytes) {
  add(&allocations, 1);
  return __libc_malloc(bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  add(&allocations, 1);
  return __libc_memalign(alignment, bytes);
}

static void add_up(unsigned* cell, unsigned* sum) {
  for (int i = 1; i < kCells; ++i) {
#pragma omp task depend(in : cell[i - 1]) depend(out : cell[i]) firstprivate(i)
    cell[i] = cell[i - 1] + 1;
  }
  for (int i = 0; i < kCells; ++i) {
#pragma omp task depend(in : cell[i]) firstprivate(i)
    __atomic_fetch_add(sum, cell[i], __ATOMIC_RELAXED);
  }
#pragma omp taskwait depend(in : cell[kCells - 1])
}

static void detach_one(unsigned* sum) {
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) firstprivate(sum)
  {
    __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
    omp_fulfill_event(event);
  }
}

int main(void) {
  const char* preload = getenv("LD_PRELOAD");
  const int served = preload && strstr(preload, "finegrain");
  static unsigned cell[kCells];
  unsigned sum = 0;
  int warm = 0;
  int steady = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kWarm + kRounds; ++round) {
    if (round == kWarm) warm = value_of(&allocations);
#pragma omp taskgroup
    {
      add_up(cell, &sum);
      detach_one(&sum);
    }
    steady = value_of(&allocations) - warm;
  }
  CHECK_EQUAL((kWarm + kRounds) * (kCells * (kCells - 1) / 2 + 1), sum);
  // A thread that was late may still find its first blocks in use by others.
  const int tasks = kRounds * 2 * kCells;
  if (served && steady > tasks / 50) CHECK_EQUAL(tasks / 50, steady);
  return ok();
}
