// SPDX-License-Identifier: Apache-2.0
#include "programs/spawn/cases/work_unit.hpp"

namespace fg::bench {

double run_work_unit(std::uint64_t iterations) noexcept {
  volatile double sum = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    sum = sum + 1 / (2 * static_cast<double>(i) + 1);
  }
  return sum;
}

}  // namespace fg::bench
