// Tasks with 24 items each, among them the same address twice and as in and out at once, over 600
// addresses: more than fit any small list or table.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kAddresses = 600, kSteps = 200, kItems = 24 };

static int version[kAddresses];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < kSteps; ++step) {
    const int base = step * 7 % (kAddresses - kItems);
    int* v = version + base;
#pragma omp task firstprivate(v)                                                              \
    depend(inout : v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11])  \
    depend(out : v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19], v[20], v[21], v[22]) \
    depend(in : v[0], v[23]) depend(inout : v[0], v[23])
    for (int i = 0; i < kItems; ++i) ++v[i];
  }
  static int expected[kAddresses];
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kItems; ++i) ++expected[step * 7 % (kAddresses - kItems) + i];
  }
  for (int i = 0; i < kAddresses; ++i) CHECK_EQUAL(expected[i], version[i]);
  return ok();
}
