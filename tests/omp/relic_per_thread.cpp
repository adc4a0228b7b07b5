// Relics inside OpenMP: each thread of a region, and each tied task on its thread, submits work too
// fine for a task to the relic of its thread.
// SPDX-License-Identifier: Apache-2.0
#include <finegrain/algorithm/relic/fork_join.hpp>
#include <finegrain/relic/relic.hpp>
#include <numeric>
#include <vector>

#include "check.h"

namespace {

constexpr int kRows = 200;
constexpr int kLength = 2000;

// [thread_local relic]
fg::relic& relic_of_this_thread() {
  thread_local fg::relic relic;  // its assistant ends with the thread, or with the process
  return relic;
}

long sum_of(const std::vector<long>& data) {
  const auto middle = data.begin() + kLength / 2;
  const auto [low, high] = fg::fork_join(
      relic_of_this_thread(), [&] { return std::accumulate(data.begin(), middle, 0L); },
      [&] { return std::accumulate(middle, data.end(), 0L); });
  return low + high;
}
// [thread_local relic]

long submitted_sum_of(const std::vector<long>& data) {
  fg::relic& relic = relic_of_this_thread();
  long there = 0;
  relic.submit([&] { there = std::accumulate(data.begin(), data.begin() + kLength / 2, 0L); });
  const long here = std::accumulate(data.begin() + kLength / 2, data.end(), 0L);
  relic.wait();
  return there + here;
}

long expected(int row) { return (kLength - 1L) * kLength / 2 + static_cast<long>(kLength) * row; }

}  // namespace

int main() {
  std::vector<std::vector<long>> rows(kRows, std::vector<long>(kLength));
  for (int row = 0; row < kRows; ++row) std::iota(rows[row].begin(), rows[row].end(), row);

  std::vector<long> sums(kRows);
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < kRows; ++row) sums[row] = sum_of(rows[row]);
  for (int row = 0; row < kRows; ++row) CHECK_EQUAL(expected(row), sums[row]);

  // Tied tasks: one thread runs each of them from its beginning to its end.
  std::vector<long> by_tasks(kRows);
#pragma omp parallel
#pragma omp single
  for (int row = 0; row < kRows; ++row) {
#pragma omp task firstprivate(row)
    by_tasks[row] = row % 2 == 0 ? sum_of(rows[row]) : submitted_sum_of(rows[row]);
  }
  for (int row = 0; row < kRows; ++row) CHECK_EQUAL(expected(row), by_tasks[row]);

  // A smaller team, then a larger one: runtimes end threads, and their relics with them.
  for (int threads = 1; threads <= 3; ++threads) {
    int served = 0;
#pragma omp parallel num_threads(threads) reduction(+ : served)
    served += submitted_sum_of(rows[1]) == expected(1);
    CHECK(served >= 1 && served <= threads);
  }
  return ok();
}
