// How much work is done between two looks at messages, and how much one message carries: measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// The work that outweighs a message: of a few microseconds within a machine, 10 to 30 between two.
inline constexpr double kGrainNs = 100'000;

/// How many items a worker processes at once, so that this takes about `kGrainNs`.
class process_grain {
 public:
  [[nodiscard]] std::size_t items() const noexcept { return items_; }

  /// `done` items, at least one, have taken `ns`.
  void took(std::size_t done, double ns) noexcept {
    const double each = std::max(ns, 1.0) / static_cast<double>(done);
    // An interruption counts once and is soon forgotten.
    ns_each_ = ns_each_ == 0 ? each : ns_each_ * 0.75 + each * 0.25;
    const double wanted = std::min(kGrainNs / ns_each_, static_cast<double>(2 * items_));
    items_ = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, kMostItems);
  }

 private:
  static constexpr std::size_t kMostItems = std::size_t{1} << 24U;

  double ns_each_ = 0;
  std::size_t items_ = 1;
};

/// How many items a message must carry so that they keep its receiver busy for `kGrainNs`.
///
/// Nobody knows what is below an item. So whoever has received some measures how long it was busy,
/// and tells with its next request. Too short: messages carry twice as many items from then on. Far
/// longer: fewer. Fewer, too, after each refusal of a bag that seems too small: the estimate may be
/// wrong, and no rank may starve because of it.
class message_grain {
 public:
  /// What a rank reports of the last items that it has received. None: zeroes.
  struct report {
    std::uint64_t items = 0;
    double ns = 0;
  };

  [[nodiscard]] bool is_enough(std::size_t items) const noexcept { return items >= least_; }
  [[nodiscard]] std::size_t least() const noexcept { return least_; }

  void told(const report& last) noexcept {
    if (last.items == 0) {
      return;
    }
    if (last.ns < kGrainNs) {
      least_ = std::max(least_, std::min<std::size_t>(last.items * 2, kMostItems));
    } else if (last.ns > 2 * kGrainNs && last.items <= 2 * least_) {
      relax();
    }
  }
  void refused() noexcept { relax(); }

 private:
  static constexpr std::size_t kMostItems = std::size_t{1} << 24U;

  void relax() noexcept { least_ = std::max<std::size_t>(least_ - (least_ + 7) / 8, 1); }

  std::size_t least_ = 1;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
