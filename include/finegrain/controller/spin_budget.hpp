// How long a thread without work should look for some before it sleeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Ski rental with a history: looking costs its time, a sleep has a price. Without a history
/// whoever looks for as long as a sleep costs, and sleeps then, loses at most as much again. With
/// one it takes, of some budgets up to that, the one that would have cost least for the latest
/// pauses: none where all pauses are long, a short one where most work comes quickly.
///
/// The price counts twice where there is a history, as who comes during a sleep has to wait, too.
///
/// Used by one thread at a time. Times are in ticks (core/clock.hpp), all calls constant time.
class spin_budget {
 public:
  /// `price`: what a sleep costs, the longest budget.
  explicit spin_budget(std::uint64_t price) noexcept : price_{price} {}

  /// A pause of `ticks` has ended.
  void add(std::uint64_t ticks) noexcept {
    std::size_t bin = 0;
    while (bin != kBudgets && ticks > budget(bin)) {
      ++bin;
    }
    ++pauses_[bin];
    if (++count_ == kMostPauses) {
      forget_half();
    }
  }

  /// The budget of the next pause.
  [[nodiscard]] std::uint64_t ticks() const noexcept {
    if (count_ < kLeastPauses) {
      return price_;
    }
    const double price = 2 * static_cast<double>(price_);
    double least = count_ * price;  // to sleep at once
    std::uint64_t best = 0;
    double looked = 0;  // in pauses that ended before
    std::uint32_t longer = count_;
    for (std::size_t bin = 0; bin != kBudgets; ++bin) {
      const auto limit = static_cast<double>(budget(bin));
      looked += pauses_[bin] * 0.75 * limit;  // the middle of a bin
      longer -= pauses_[bin];
      const double cost = looked + longer * (limit + price);
      if (cost <= least) {
        least = cost;
        best = budget(bin);
      }
    }
    return best;
  }

 private:
  static constexpr std::size_t kBudgets = 8;  // each twice the one before: 1.6 to 200 us
  static constexpr std::uint32_t kLeastPauses = 8;
  static constexpr std::uint32_t kMostPauses = 64;

  [[nodiscard]] std::uint64_t budget(std::size_t bin) const noexcept {
    return price_ >> (kBudgets - 1 - bin);
  }

  void forget_half() noexcept {
    count_ = 0;
    for (std::uint32_t& pauses : pauses_) {
      pauses /= 2;
      count_ += pauses;
    }
  }

  std::uint64_t price_;
  std::array<std::uint32_t, kBudgets + 1> pauses_{};  // by their budget; the last ones are longer
  std::uint32_t count_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
