// What pairs of times say.
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

/// The confidence interval of the median that needs no assumption about the distribution: two order
/// statistics, whose ranks the binomial distribution of the number of values below the median gives
/// (Conover, Practical Nonparametric Statistics, 3.2). At least as sure as `confidence`; empty if
/// so few values cannot give that (under 6 for 95 %).
[[nodiscard]] std::optional<interval> median_interval(std::vector<double> values,
                                                      double confidence);

}  // namespace fg::omp_command
