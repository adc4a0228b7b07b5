// taskloop over random-access iterators and over a range.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <numeric>
#include <vector>

#include "check.h"

int main() {
  std::vector<int> values(500);
  std::iota(values.begin(), values.end(), 1);
  long sum = 0, squares = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(11) reduction(+ : sum)
    for (auto i = values.begin(); i < values.end(); i += 2) sum += *i;
#pragma omp taskloop num_tasks(9) reduction(+ : squares)
    for (int& value : values) squares += value * value;
#pragma omp taskloop grainsize(3) shared(values)
    for (std::size_t i = values.size(); i > 0; --i) values[i - 1] += 1;
  }
  CHECK_EQUAL(250 * 250, sum);
  CHECK_EQUAL(500L * 501 * 1001 / 6, squares);
  CHECK_EQUAL(500 * 501 / 2 + 500, std::accumulate(values.begin(), values.end(), 0));
  return ok();
}
