// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fg::omp_command {
namespace {

// Probability that exactly k of n values are below the median.
double probability(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                  n * std::numbers::ln2);
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<interval> median_interval(std::vector<double> values, double confidence) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const double tail = (1 - confidence) / 2;
  // The interval excludes `outside` values at each end: as many as the confidence allows.
  std::size_t outside = 0;
  for (double below = probability(count, 0); below <= tail;) {
    ++outside;
    below += probability(count, static_cast<double>(outside));
  }
  if (outside == 0) {
    return std::nullopt;
  }
  return interval{values[outside - 1], values[values.size() - outside]};
}

}  // namespace fg::omp_command
