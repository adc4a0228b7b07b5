// Dependences by iterators and array sections: a task that needs a whole row, known at run time.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kRows = 30 };

int main(void) {
  static int leaf[kRows][kRows], sum[kRows];
  int total = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int row = 0; row < kRows; ++row) {
      for (int i = 0; i <= row; ++i) {
#pragma omp task depend(out : leaf[row][i])
        leaf[row][i] = i + 1;
      }
#pragma omp task depend(iterator(i = 0 : row + 1), in : leaf[row][i]) depend(out : sum[row])
      for (int i = 0; i <= row; ++i) sum[row] += leaf[row][i];
#pragma omp task depend(in : sum[row : 1]) depend(inout : total) shared(total)
      total += sum[row];
    }
  }
  int expected = 0;
  for (int row = 0; row < kRows; ++row) expected += (row + 1) * (row + 2) / 2;
  CHECK_EQUAL(expected, total);
  return ok();
}
