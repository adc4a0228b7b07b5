// What an example has gained: both ways of doing the same, measured in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/median_bound.h"

namespace examples {

/// How many pairs to measure: the program's only argument, `usual` without one.
inline int pairs_wanted(int count, char** arguments, int usual) {
  const int asked = count > 1 ? std::atoi(arguments[1]) : usual;
  if (count > 2 || asked < 1) {
    std::fprintf(stderr, "usage: %s [pairs to measure]\n", arguments[0]);
    std::exit(2);
  }
  return asked;
}

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
    const std::size_t n = ratios_.size();
    const double median = (ratios_[(n - 1) / 2] + ratios_[n / 2]) / 2;
    const auto k = static_cast<std::size_t>(median_bound(static_cast<int>(n)));
    if (k == 0) {
      std::printf("%s: %.3f times as fast (%zu pairs, too few for an interval)\n", what, median, n);
      return;
    }
    const double low = ratios_[k - 1];
    const double high = ratios_[n - k];
    std::printf("%s: %.3f times as fast (95 %%: %.3f to %.3f, %zu pairs)%s\n", what, median, low,
                high, n,
                low > 1    ? ""
                : high < 1 ? ": a loss"
                           : ": no gain is proved");
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
