/* A program of OpenMP's that knows nothing of finegrain: in how many ways 11 queens stand on a
 * board without a threat, a task for each placement in the first rows. With finegrain's tasks,
 * unchanged:
 *
 *     finegrain-omp ./openmp_queens
 *     finegrain-omp --compare 20 ./openmp_queens
 */
#include <stdio.h>

enum { kSize = 11, kRowsOfTasks = 8 };

/* Occupied columns and diagonals, one bit each. */
static long place(int row, unsigned columns, unsigned left, unsigned right) {
  long counts[kSize] = {0};
  long sum = 0;
  if (row == kSize) {
    return 1;
  }
  for (int column = 0; column < kSize; ++column) {
    const unsigned here = 1U << column;
    if (((columns | left | right) & here) == 0) {
#pragma omp task shared(counts) if (row < kRowsOfTasks)
      counts[column] = place(row + 1, columns | here, (left | here) << 1, (right | here) >> 1);
    }
  }
#pragma omp taskwait
  for (int column = 0; column < kSize; ++column) {
    sum += counts[column];
  }
  return sum;
}

int main(void) {
  long ways = 0;
#pragma omp parallel
#pragma omp single
  ways = place(0, 0, 0, 0);
  printf("%ld\n", ways);
  return ways == 2680 ? 0 : 1;
}
