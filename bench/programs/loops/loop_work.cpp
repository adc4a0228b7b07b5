// SPDX-License-Identifier: Apache-2.0
#include "programs/loops/loop_work.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace fg::bench {
namespace {

constexpr std::size_t kElements = 1000;
constexpr int kRepeats = 15;  // the fastest counts: what disturbs only adds

double element_ns_of(std::uint64_t steps) {
  using clock = std::chrono::steady_clock;
  static std::vector<std::uint32_t> results(kElements);
  const loop_work work{.elements = kElements, .steps = steps, .results = results.data()};
  std::chrono::duration<double, std::nano> fastest = clock::duration::max();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const clock::time_point begin = clock::now();
    run_serially(work);
    fastest = std::min<std::chrono::duration<double, std::nano>>(fastest, clock::now() - begin);
  }
  return fastest.count() / static_cast<double>(kElements);
}

}  // namespace

std::uint64_t steps_of_element(double element_ns) {
  std::uint64_t least = 1;  // takes too little, or is all that there is
  std::uint64_t most = 2;   // takes enough
  while (element_ns_of(most) < element_ns) {
    least = most;
    most *= 2;
  }
  while (most - least > 1) {
    const std::uint64_t middle = least + (most - least) / 2;
    (element_ns_of(middle) < element_ns ? least : most) = middle;
  }
  const double below = element_ns - element_ns_of(least);
  return below < element_ns_of(most) - element_ns ? least : most;
}

}  // namespace fg::bench
