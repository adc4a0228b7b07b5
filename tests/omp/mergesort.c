// Divide and conquer over shared arrays: a child's writes are visible after the taskwait.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kLength = 20000, kLeaf = 64 };

static unsigned values[kLength], room[kLength];

static void merge(const unsigned* a, int na, const unsigned* b, int nb, unsigned* out) {
  while (na > 0 && nb > 0) {
    if (*b < *a) {
      *out++ = *b++;
      --nb;
    } else {
      *out++ = *a++;
      --na;
    }
  }
  memcpy(out, a, (size_t)na * sizeof *a);
  memcpy(out + na, b, (size_t)nb * sizeof *b);
}

static void sort(unsigned* data, unsigned* scratch, int length) {
  if (length <= kLeaf) {
    for (int i = 1; i < length; ++i) {
      const unsigned value = data[i];
      int j = i;
      for (; j > 0 && data[j - 1] > value; --j) data[j] = data[j - 1];
      data[j] = value;
    }
    return;
  }
  const int half = length / 2;
#pragma omp task
  sort(data, scratch, half);
#pragma omp task
  sort(data + half, scratch + half, length - half);
#pragma omp taskwait
  merge(data, half, data + half, length - half, scratch);
  memcpy(data, scratch, (size_t)length * sizeof *data);
}

int main(void) {
  unsigned state = 1, sum = 0;
  for (int i = 0; i < kLength; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = state >> 8;
    sum += values[i];
  }
#pragma omp parallel
#pragma omp single
  sort(values, room, kLength);
  for (int i = 0; i < kLength; ++i) {
    sum -= values[i];
    if (i > 0) CHECK(values[i - 1] <= values[i]);
  }
  CHECK_EQUAL(0, sum);
  return ok();
}
