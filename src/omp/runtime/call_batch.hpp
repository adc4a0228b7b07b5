// What consecutive calls take on average.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "finegrain/core/clock.hpp"

namespace fg::omp::runtime {

/// One sample of calls that vary, as a region's do that a solver opens for each of its grids in turn:
/// up to 16 consecutive calls, or fewer that took 50 us together. All times are ticks.
///
/// Not synchronized: each thread has its own.
class call_batch {
 public:
  static constexpr std::uint32_t kMost = 16;

  /// What is long enough for a batch of its own.
  static std::uint64_t long_call() noexcept {
    static const std::uint64_t long_enough = to_ticks(std::chrono::microseconds{50});
    return long_enough;
  }

  /// Adds a call. True if the batch is complete; the next call begins another one.
  bool add(std::uint64_t took) noexcept {
    if (is_complete_) {
      *this = {};
    }
    sum_ += took;
    least_ = std::min(least_, took);
    is_complete_ = ++calls_ == kMost || sum_ >= long_call();
    return is_complete_;
  }

  [[nodiscard]] std::uint32_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  /// These require: a call was added.
  [[nodiscard]] std::uint64_t mean() const noexcept { return sum_ / calls_; }
  [[nodiscard]] std::uint64_t least() const noexcept { return least_; }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t calls_ = 0;
  bool is_complete_ = false;
};

}  // namespace fg::omp::runtime
