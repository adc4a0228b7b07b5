#include "finegrain_omp/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace fg::omp_command {

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
  const boost::math::binomial_distribution<double> below_median{static_cast<double>(values.size()),
                                                                0.5};
  const double tail = (1 - confidence) / 2;
  // The interval leaves out `outside` values at each end: as many as it may.
  std::size_t outside = 0;
  while (boost::math::cdf(below_median, static_cast<double>(outside)) <= tail) {
    ++outside;
  }
  if (outside == 0) {
    return std::nullopt;
  }
  return interval{values[outside - 1], values[values.size() - outside]};
}

}  // namespace fg::omp_command
