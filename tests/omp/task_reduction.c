// task_reduction and in_reduction: scalars, array sections, several at once, in nested tasks and
// nested groups, used by few of many tasks.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100, kBins = 9 };

static void below(int depth, int* total) {
  int sum = 0;
  if (depth == 0) return;
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : sum)
      {
        int inner = 0;
        below(depth - 1, &inner);
        sum += inner + 1;
      }
    }
  }
  *total = sum;
}

int main(void) {
  int sum = 100, smallest = 1000, bins[kBins] = {0}, nested = 0, recursive = 0;
  long long product = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum, bins[0 : kBins]) task_reduction(min : smallest) \
    task_reduction(* : product)
    {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(min : smallest) firstprivate(i) shared(bins)
        {
          sum += i;
          const int mixed = 3 + i * 7 % kTasks;
          smallest = mixed < smallest ? mixed : smallest;
#pragma omp task in_reduction(+ : bins[0 : kBins]) firstprivate(i)
          ++bins[i % kBins];
        }
        if (i % 10 == 0) {
#pragma omp task in_reduction(* : product)
          product *= 3;
        }
      }
    }
    CHECK_EQUAL(100 + kTasks * (kTasks - 1) / 2, sum);
    CHECK_EQUAL(3, smallest);
    CHECK_EQUAL(59049, product);
    for (int i = 0; i < kBins; ++i) CHECK_EQUAL(kTasks / kBins + (i < kTasks % kBins), bins[i]);
#pragma omp taskgroup task_reduction(+ : nested)
    {
#pragma omp task in_reduction(+ : nested)
      {
        nested += 1;
        int mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
        {
          for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : mine) in_reduction(+ : nested)
            {
              mine += 1;
              nested += 1;
            }
          }
        }
        CHECK_EQUAL(10, mine);
      }
    }
    CHECK_EQUAL(11, nested);
    below(5, &recursive);
    CHECK_EQUAL(62, recursive);
  }
  return ok();
}
