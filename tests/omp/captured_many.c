// Regions that capture 24 and 110 variables by reference, with tasks that use them: the drop-in
// rebuilds what the compiler passed.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#define TEN(use, p)                                                                         \
  use(p##0) use(p##1) use(p##2) use(p##3) use(p##4) use(p##5) use(p##6) use(p##7) use(p##8) \
      use(p##9)
#define HUNDRED(use, p) \
  TEN(use, p##0)        \
  TEN(use, p##1)        \
  TEN(use, p##2)        \
  TEN(use, p##3)        \
  TEN(use, p##4) TEN(use, p##5) TEN(use, p##6) TEN(use, p##7) TEN(use, p##8) TEN(use, p##9)
#define DECLARE(name) int name = ++next;
#define ADD(name) sum += name;
#define BUMP(name) add(&name, 1);

static int few(void) {
  int next = 0, done = 0, total = 0;
  TEN(DECLARE, a)
  TEN(DECLARE, b)
#pragma omp parallel
  {
    int sum = 0;
    TEN(ADD, a) TEN(ADD, b) CHECK_EQUAL(20 * 21 / 2, sum);
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      {
        TEN(BUMP, a) TEN(BUMP, b) add(&done, 1);
      }
    }
    add(&total, 1);
  }
  int sum = 0;
  TEN(ADD, a) TEN(ADD, b) CHECK_EQUAL(20 * 21 / 2 + 20, sum);
  CHECK_EQUAL(1, done);
  return total;
}

static int many(void) {
  int next = 0, done = 0, total = 0;
  HUNDRED(DECLARE, c)
  TEN(DECLARE, d)
#pragma omp parallel
  {
    int sum = 0;
    HUNDRED(ADD, c) TEN(ADD, d) CHECK_EQUAL(110 * 111 / 2, sum);
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      {
        HUNDRED(BUMP, c) TEN(BUMP, d) add(&done, 1);
      }
    }
    add(&total, 1);
  }
  int sum = 0;
  HUNDRED(ADD, c) TEN(ADD, d) CHECK_EQUAL(110 * 111 / 2 + 110, sum);
  CHECK_EQUAL(1, done);
  return total;
}

int main(void) {
  CHECK_EQUAL(omp_get_max_threads(), few());
  CHECK_EQUAL(omp_get_max_threads(), many());
  return ok();
}
