// When work that comes in periods comes next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Learns the periods of audio callbacks, frames, ticks: from the latest gaps between two arrivals
/// it tells when to wake up for the next one. The gaps' median, so that one that is out of line (a
/// missed period, a late timer) changes nothing; a change of the period is learned within 9
/// arrivals. How much earlier than the median follows what came of it: after a wake-up that was too
/// late, half of the lack more, after one that was early, a little of the excess less. That covers the
/// jitter of the arrivals and that of the timer, and leaves one arrival of 8 to 16 uncovered. (With a
/// quarter more and 1/32 less it was one of six, of work every 2.7 ms: 2 CPUs of an EPYC 9005, KVM.)
///
/// Used by one thread at a time. Times are in ticks (core/clock.hpp), all calls constant time.
class rhythm {
 public:
  /// `share`: how much of a CPU may be spent on being awake early; from 0, never, to 1.
  explicit rhythm(double share) noexcept
      : share_{share > 0 ? std::min(share, 1.0) : 0}, timer_is_late_{to_ticks(kTimerIsLate)} {}

  /// Work has arrived after a pause.
  void arrived(std::uint64_t at) noexcept {
    if (last_ != 0) {
      gaps_[count_ % kGaps] = at - last_;
      ++count_;
      measure();
    }
    last_ = at;
  }

  /// The thread was awake `ticks` before an arrival at `now`.
  void woke_early(std::uint64_t ticks, std::uint64_t now) noexcept {
    spend(ticks, now);
    lead_ -= std::min(lead_, ticks / 128);
  }

  /// It was awake for `ticks` until `now`, and nothing has arrived.
  void woke_in_vain(std::uint64_t ticks, std::uint64_t now) noexcept { spend(ticks, now); }

  /// It was awake only `ticks` after an arrival.
  void woke_late(std::uint64_t ticks) noexcept { lead_ += ticks / 2; }

  /// When, after `now`, to wake up for the next arrival; 0: never, it is not regular or too many have
  /// failed to come.
  [[nodiscard]] std::uint64_t next_wake_up(std::uint64_t now) const noexcept {
    if (is_regular_) {
      std::uint64_t at = last_ + period_ - lead_;
      for (int missed = 0; missed != kMostMissed; ++missed, at += period_) {
        if (at > now && account(at) > 0) {
          return at;
        }
      }
    }
    return 0;
  }

  /// When an arrival that one has woken up for at `at` is overdue.
  [[nodiscard]] std::uint64_t overdue_at(std::uint64_t at) const noexcept { return at + 2 * lead_; }

  /// The usual gap; 0 if being awake early costs more than the share.
  [[nodiscard]] std::uint64_t period() const noexcept { return is_regular_ ? period_ : 0; }

 private:
  static constexpr std::size_t kGaps = 16;
  static constexpr std::size_t kLeastGaps = 6;
  static constexpr int kMostMissed = 8;
  static constexpr std::uint64_t kShortest = 16;  // period, in times that a timer is late: 1 ms

  // A timer is 20 to 60 us late (EPYC 9004, KVM, Linux 6.18); until then its thread uses no CPU.
  static constexpr std::chrono::microseconds kTimerIsLate{60};

  // The share is an account: time pays in, being awake is paid out of it.
  [[nodiscard]] double account(std::uint64_t now) const noexcept {
    const double most = 2 * share_ * static_cast<double>(period_);
    return std::min(account_ + share_ * static_cast<double>(now - settled_), most);
  }
  void spend(std::uint64_t ticks, std::uint64_t now) noexcept {
    account_ = account(now) - static_cast<double>(ticks);
    settled_ = now;
  }

  void measure() noexcept {
    if (count_ < kLeastGaps) {
      return;
    }
    auto sorted = gaps_;
    const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(count_, kGaps));
    std::sort(sorted.begin(), sorted.begin() + known);
    period_ = sorted[known / 2];
    const std::uint64_t jitter = period_ - sorted[known / 8];
    const auto most = static_cast<std::uint64_t>(share_ * static_cast<double>(period_));
    const bool was_regular = is_regular_;
    // With some hysteresis: the lead's limit bounds the share anyway.
    is_regular_ = jitter < (was_regular ? 2 * most : most) && kShortest * timer_is_late_ < period_;
    if (!was_regular) {
      lead_ = jitter + timer_is_late_;
    }
    lead_ = std::min(lead_, most + timer_is_late_);
  }

  double share_;
  std::uint64_t timer_is_late_;
  std::array<std::uint64_t, kGaps> gaps_{};
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t period_ = 0;  // the median gap
  std::uint64_t lead_ = 0;    // how much earlier than the median gap to wake up
  double account_ = 0;        // at `settled_`, in ticks
  std::uint64_t settled_ = 0;
  bool is_regular_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
