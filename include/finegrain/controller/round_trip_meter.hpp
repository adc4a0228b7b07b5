// Measures the current cost of an empty task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Keeps the round trip of an empty task, in ticks, and says when to measure it again: hosts
/// change, and a virtual machine's CPUs are moved. One thread.
class round_trip_meter {
 public:
  /// The latest result; 0 before the first one.
  [[nodiscard]] std::uint64_t ticks() const noexcept { return ticks_; }

  /// True if the result is old: after 100 ms, after a second if measuring would wake a sleeper.
  [[nodiscard]] bool is_due(std::uint64_t now, bool asleep) const noexcept {
    return now >= due_ + (asleep ? to_ticks(kMoreForSleepers) : 0);
  }

  /// Marks the result as out of date.
  void forget() noexcept { due_ = 0; }

  /// Measures with `round_trip()`, which makes one and returns false if it was interrupted; the
  /// first one may be, by a wake-up. An interrupted measurement gives no result. The next one is
  /// due late enough that all of them together take less than 0.2 % of the time.
  template <class RoundTrip>
  void measure(RoundTrip round_trip) {
    const std::uint64_t start = fg::ticks();
    round_trip();
    if (do_some(round_trip, kWarmUp)) {
      take_median(round_trip);
    }
    const std::uint64_t end = fg::ticks();
    due_ = end + std::max(to_ticks(kEvery), kShareOfTime * (end - start));
  }

 private:
  template <class RoundTrip>
  static bool do_some(RoundTrip& round_trip, int count) {
    for (; count != 0; --count) {
      if (!round_trip()) {
        return false;
      }
    }
    return true;
  }

  // Of short batches, so that clock reads add little and an interrupt affects only one of them.
  template <class RoundTrip>
  void take_median(RoundTrip& round_trip) {
    std::array<std::uint64_t, kBatches> batches{};
    for (std::uint64_t& batch : batches) {
      const std::uint64_t start = fg::ticks();
      if (!do_some(round_trip, kRoundTripsPerBatch)) {
        return;
      }
      batch = (fg::ticks() - start) / kRoundTripsPerBatch;
    }
    std::sort(batches.begin(), batches.end());
    ticks_ = std::max<std::uint64_t>(batches[kBatches / 2], 1);
  }

  // 52 round trips of 65 to 340 ns (EPYC 9004, KVM) are 3 to 18 us.
  static constexpr int kWarmUp = 8;
  static constexpr std::size_t kBatches = 11;
  static constexpr int kRoundTripsPerBatch = 4;
  static constexpr std::chrono::milliseconds kEvery{100};
  static constexpr std::chrono::milliseconds kMoreForSleepers{900};
  static constexpr std::uint64_t kShareOfTime = 512;

  std::uint64_t ticks_ = 0;
  std::uint64_t due_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
