// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kernels/kernel.hpp"
#include "kernels/spin/lcg_chain.hpp"

namespace fg::bench {

double calibrate_spin_steps_per_us() {
  using clock = std::chrono::steady_clock;
  using microseconds = std::chrono::duration<double, std::micro>;
  // A batch takes about a millisecond: long compared with a clock read, short compared with a time
  // slice.
  constexpr std::uint64_t kBatchSteps = std::uint64_t{1} << 20;
  constexpr int kMinBatches = 3;
  const clock::time_point stop = clock::now() + std::chrono::milliseconds(50);
  double fastest = 0.0;
  std::uint64_t state = 0;
  for (int batch = 0; batch < kMinBatches || clock::now() < stop; ++batch) {
    const clock::time_point start = clock::now();
    // Each batch continues where the last ended, so none can be optimized away.
    state = walk_lcg_chain(state, kBatchSteps);
    const double elapsed_us = microseconds(clock::now() - start).count();
    fastest = std::max(fastest, static_cast<double>(kBatchSteps) / elapsed_us);
  }
  return fastest;
}

}  // namespace fg::bench
