// What an example has gained: both ways of doing the same, measured in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/report.h"

namespace examples {

using ::pairs_wanted;

/// Seconds that `work()` takes.
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

  /// Prints the median and the interval that holds the true one with 95 %.
  void print(const char* what) {
    std::ranges::sort(ratios_);
    print_gain(what, ratios_.data(), static_cast<int>(ratios_.size()));
  }

 private:
  std::vector<double> ratios_;
};

/// Measures both in turns, each first in every second pair.
template <class Plain, class Ours>
gain measure_gain(int pairs, Plain&& plain, Ours&& ours) {
  gain measured;
  plain();  // caches, first uses of pages
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
