// OpenBLAS, itself threaded with OpenMP (gcc's), called from tasks and between regions: block
// products compared with a plain loop. In clang's program LLVM's runtime replaces gcc's.
/* SPDX-License-Identifier: Apache-2.0 */
#include <cblas.h>

#include "check.h"

enum { kSize = 96, kBlocks = 3, kBlock = kSize / kBlocks };

static double a[kSize][kSize], b[kSize][kSize], c[kSize][kSize], whole[kSize][kSize];

int main(void) {
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      a[i][j] = (i * 3 + j * 5) % 11;  // small integers: the sums are exact
      b[i][j] = (i * 7 + j * 2) % 13;
    }
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1, &a[0][0], kSize,
              &b[0][0], kSize, 0, &whole[0][0], kSize);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kSize; i += kBlock) {
    for (int j = 0; j < kSize; j += kBlock) {
      for (int k = 0; k < kSize; k += kBlock) {
#pragma omp task depend(inout : c[i][j]) shared(a, b, c)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kBlock, kBlock, kBlock, 1, &a[i][k],
                    kSize, &b[k][j], kSize, 1, &c[i][j], kSize);
      }
    }
  }
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k) sum += a[i][k] * b[k][j];
      CHECK(sum == c[i][j]);
      CHECK(sum == whole[i][j]);
    }
  }
  return ok();
}
