// Iterators without an iteration: a clause that names nothing, alone and with others that do.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

// So that the stack contains no accidental zeros.
__attribute__((noinline)) static void litter(void) {
  volatile unsigned char stack[4096];
  for (unsigned i = 0; i < sizeof stack; ++i) stack[i] = 0xaa;
}

__attribute__((noinline)) static void make_tasks(int* row, int count, int* done) {
  (void)count;  // gcc does not count a depend clause as a use
#pragma omp task depend(iterator(i = 0 : count), out : row[i]) shared(done)
  add(done, 1);
#pragma omp task depend(iterator(i = 0 : count), in : row[i]) shared(done)
  add(done, 1);
#pragma omp task depend(iterator(i = 0 : count), mutexinoutset : row[i]) shared(done)
  add(done, 1);
#pragma omp task depend(iterator(i = 0 : count), inout : row[i]) depend(out : row[0]) shared(row)
  row[0] += 1;
#pragma omp task depend(iterator(i = 0 : count), in : row[i]) depend(inout : row[0]) shared(row)
  row[0] *= 2;
#pragma omp taskwait depend(iterator(i = 0 : count), in : row[i])
}

int main(void) {
  int row[4] = {0}, done = 0, expected = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    litter();
    make_tasks(row, i / kTasks, &done);
#pragma omp taskwait
    expected = (expected + 1) * 2 % 1000;
    row[0] %= 1000;
  }
  CHECK_EQUAL(3 * kTasks, done);
  CHECK_EQUAL(expected, row[0]);
  return ok();
}
