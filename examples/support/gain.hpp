// Measures the gain of an example, alternating between two ways of doing the same.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/report.h"

namespace examples {

using ::pairs_wanted;

/// The duration of `work()` in seconds.
template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Ratios of times, plain over ours: above 1 ours is faster.
class gain {
 public:
  void add(double plain_seconds, double our_seconds) {
    ratios_.push_back(plain_seconds / our_seconds);
  }

  /// Prints the median and the interval that contains the true one with 95 % confidence.
  void print(const char* what) {
    std::ranges::sort(ratios_);
    print_gain(what, ratios_.data(), static_cast<int>(ratios_.size()));
  }

 private:
  std::vector<double> ratios_;
};

/// Measures both alternately, each first in every second pair.
template <class Plain, class Ours>
gain measure_gain(int pairs, Plain&& plain, Ours&& ours) {
  gain measured;
  plain();  // warms the caches and touches the pages
  ours();
  for (int pair = 0; pair != pairs; ++pair) {
    double plain_seconds = 0;
    double our_seconds = 0;
    if (pair % 2 == 0) {
      plain_seconds = seconds(plain);
      our_seconds = seconds(ours);
    } else {
      our_seconds = seconds(ours);
      plain_seconds = seconds(plain);
    }
    measured.add(plain_seconds, our_seconds);
  }
  return measured;
}

}  // namespace examples
