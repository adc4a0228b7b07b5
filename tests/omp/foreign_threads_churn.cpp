// Threads that start, open a region with tasks and end, one after another: what the drop-in keeps
// for a thread must not outlive it in a way that affects the next.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "check.h"

int main() {
  const int rounds_all = rounds(60);
  const int team = omp_get_max_threads() < 8 ? omp_get_max_threads() : 8;
  int done = 0;
  for (int round = 0; round < rounds_all; ++round) {
    std::thread([&done, team] {
#pragma omp parallel num_threads(team) shared(done)
      for (int i = 0; i < 5; ++i) {
#pragma omp task shared(done)
        add(&done, 1);
      }
    }).join();
  }
  CHECK_EQUAL(rounds_all * team * 5, done);
  return ok();
}
