// Statistics of pairs of times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fg::omp_command {

struct interval {
  double low;
  double high;
};

/// Requires at least one value.
[[nodiscard]] double median(std::vector<double> values);

/// Distribution-free confidence interval of the median: two order statistics, whose ranks follow
/// from the binomial distribution of the number of values below the median (Conover, Practical
/// Nonparametric Statistics, 3.2). Its confidence is at least `confidence`; empty if there are too
/// few values for that (under 6 for 95 %).
[[nodiscard]] std::optional<interval> median_interval(std::vector<double> values,
                                                      double confidence);

}  // namespace fg::omp_command
