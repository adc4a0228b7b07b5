// What a controller may spend on finding out which of two ways is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The median of the last three: one interrupted sample changes nothing, two in a row count.
class median_of_three {
 public:
  void add(std::uint64_t sample) noexcept { samples_[count_++ % samples_.size()] = sample; }
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] bool is_full() const noexcept { return count_ >= samples_.size(); }
  /// Requires: `is_full`.
  [[nodiscard]] std::uint64_t value() const noexcept {
    const auto [a, b, c] = samples_;
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

 private:
  std::array<std::uint64_t, 3> samples_{};
  std::size_t count_ = 0;
};

/// How long the calling thread has waited for the other one, if so long (20 us) that it yielded, and
/// how much of that its yields took: time slices of other programs. Ticks; 0 if it was shorter.
struct long_wait {
  std::uint64_t ticks = 0;
  std::uint64_t lost = 0;
};

/// The budget of one controller: when it reads the clock, when it tries the other way, how long it
/// tolerates an assistant that loses its CPU, and when it wakes one that sleeps. All times are
/// ticks (core/clock.hpp), of calls or of iterations.
///
/// ## Clock reads
/// Most calls are quiet and read no clock. The others look: they read it once, at their start. A
/// look 50 us or more after the last timed call is timed: it reads the clock again at the beginning
/// and end of the work, and once between two branches that run here. So timing takes at most 0.1 %
/// of the time, however long the calls are.
///
/// The number of calls between looks determines how late a change of their length is noticed. It is
/// 64 at first and 16 after a change of the decision. It doubles when that many looks have cost as
/// much as a change that is noticed so late may lose: 0.2 ns per call at a new site, 0.8 ns soon
/// after a change, 0.01 ns in the end.
///
/// ## Trying the other way
/// The loss that four calls may cause must be less than 0.2 % of the time since the last decision;
/// 1.6 % if the calls have changed since then. If they have not, there are at least 32 calls, or a second,
/// between. What it lost after it was found to gain delays the next trial, to 3 % of the time.
///
/// Not synchronized: belongs to a controller.
class exploration_budget {
 public:
  // ---- sites of a pool ----

  /// What takes this time on one thread is always shared: 21 us took 0.6 to 1.02 times as long then,
  /// in all states of the host (2 CPUs of an EPYC 9004, KVM).
  static constexpr std::chrono::microseconds kAlwaysShared{20};

  /// How long such a site goes on without the clock, if its calls last as before: if they become
  /// 1000 times longer, all but one worker idle for so many calls. A look takes 12 ns, 0.6 % of it.
  static constexpr std::chrono::microseconds kQuietTime{2};

  // ---- clock reads ----

  /// True if the call that looks at the clock, at `now`, is to be timed.
  [[nodiscard]] bool is_due(std::uint64_t now) const noexcept { return now >= due_at_; }

  /// Marks the next call to be timed. `times_next`: whether it is marked.
  void time_next() noexcept { due_at_ = 0; }
  [[nodiscard]] bool times_next() const noexcept { return due_at_ == 0; }

  /// A call was timed that gives no information.
  void timed(std::uint64_t now) noexcept { due_at_ = now + sampling_interval(); }

  /// A call was timed: adds what it took to `cost`. False if the next one is to be timed too: this
  /// was the first after a change of sides, which finds its data in the other core's cache; or
  /// `cost` is not full; or this one was an outlier, perhaps the first of a change.
  [[nodiscard]] bool add(median_of_three& cost, std::uint64_t took, std::uint64_t now) noexcept {
    time_next();
    if (std::exchange(is_first_, false)) {
      return false;
    }
    cost.add(took);
    if (!cost.is_full()) {
      return false;
    }
    const std::uint64_t usual = cost.value();
    if (took > kOdd * usual || usual > kOdd * took) {
      return false;
    }
    timed(now);
    return true;
  }

  /// After how many calls, at least 1, to look again, if one takes `duration`.
  [[nodiscard]] std::uint32_t calls_to_look(std::uint64_t duration) noexcept {
    if (++looks_ > spacing_ * (kLongCall / kLookCost)) {
      spacing_ = std::min(2 * spacing_, kMostSpacing);
      looks_ = 0;
    }
    std::uint32_t calls = spacing_;
    if (duration * spacing_ > sampling_interval()) {  // else the common case, without a division
      calls =
          static_cast<std::uint32_t>(std::max<std::uint64_t>(sampling_interval() / duration, 1));
    }
    calls_since_ = std::min(calls_since_ + calls, kCallsBetween);
    return calls;
  }

  /// True if two durations differ by less than a third.
  [[nodiscard]] static bool is_about(std::uint64_t a, std::uint64_t b) noexcept {
    return 4 * a > 3 * b && 4 * b > 3 * a;
  }

  // ---- decisions. `here`, `shared`: the time spent on one thread, on both ----

  /// The next calls run on the other side.
  void change_sides() noexcept {
    is_first_ = true;
    time_next();
  }

  [[nodiscard]] std::uint64_t lost_since(std::uint64_t shared, std::uint64_t loss,
                                         std::uint64_t now) const noexcept {
    const std::uint64_t most = kTimedCalls * shared * kShareAfterChange;
    return std::min(now - decided_at_, most) / std::max<std::uint64_t>(shared, 1) * loss;
  }

  /// A decision. `loss`: of handing over, a call; `lost`: by it until now; `changed`: it is another one.
  void decide(std::uint64_t here, std::uint64_t shared, std::uint64_t loss, bool changed,
              std::uint64_t now, std::uint64_t lost = 0) noexcept {
    decided_here_ = here;
    decided_shared_ = shared;
    decided_loss_ = kTimedCalls * loss + wake_up_cost_ + lost * kShareOfMistakes / kShare;
    decided_at_ = now;
    calls_since_ = 0;
    wake_up_cost_ = 0;
    if (changed) {
      spacing_ = kLeastSpacing;
      looks_ = 0;
    }
  }

  /// True if handing over may be tried, which loses `loss` per call by the model, or what it lost
  /// when it was decided against for calls like these.
  [[nodiscard]] bool allows_trial(std::uint64_t here, std::uint64_t loss,
                                  std::uint64_t now) const noexcept {
    const bool is_known = is_about(here, decided_here_);
    return allows_again(is_known, now) &&
           allows(std::max(kTimedCalls * loss, is_known ? decided_loss_ : 0), kShare, now);
  }

  /// True if a run on one thread may be tried again, which loses `gain` per call. If calls have
  /// changed since the decision, this is no longer known, and they may lose all their `duration`.
  [[nodiscard]] bool allows_recheck(std::uint64_t shared, std::uint64_t gain,
                                    std::uint64_t duration, std::uint64_t now) const noexcept {
    const bool is_known = is_about(shared, decided_shared_);
    return is_known ? allows_again(is_known, now) && allows(kTimedCalls * gain, kShare, now)
                    : allows(kTimedCalls * duration, kShareAfterChange, now);
  }

  // ---- stalls: waits for an assistant that has lost its CPU to another program ----

  /// Adds what was gained by handing over.
  void gain(std::uint64_t gained) noexcept {
    gained_ = std::min(gained_ + gained, to_ticks(kMostGained) * kWorseIfLate);
  }

  /// Pays for a stall of a call that takes `here` on one thread and is due within `period`, if not 0.
  /// False if it costs more than was gained: then it has decided to keep calls like `cost` here.
  [[nodiscard]] bool pay(const long_wait& stall, std::uint64_t here, std::uint64_t period,
                         std::uint64_t cost, std::uint64_t now) noexcept {
    const bool late = here < period && period < here + stall.lost;
    const std::uint64_t weight = late ? kWorseIfLate : 1;
    if (std::exchange(is_new_, false)) {
      gain(to_ticks(kGainOfANewSite) * weight);
    }
    if (weight * stall.ticks < std::min(gained_, weight * to_ticks(kMostGained))) {
      gained_ -= weight * stall.ticks;
      return true;
    }
    decide(cost, 0, 0, false, now);
    calls_since_ = kCallsBetween;
    decided_loss_ = weight * std::min(stall.ticks, to_ticks(kMostStall)) * kStallShare / kShare;
    return false;
  }

  // ---- a sleeping assistant ----

  /// True if a call that gains `gain` is worth waiting until the sleeper runs.
  [[nodiscard]] static bool outweighs_a_wake_up(std::uint64_t gain) noexcept {
    return gain > to_ticks(kWakeUpTime);
  }

  /// True if a call that gains `gain` is worth the time that waking takes.
  [[nodiscard]] static bool pays_for_waking(std::uint64_t gain) noexcept {
    return gain > to_ticks(kWakeUpCost);
  }

  /// True if a call that misses `gain` because the assistant sleeps may take the time to say so.
  [[nodiscard]] static bool pays_for_telling(std::uint64_t gain) noexcept {
    return gain > to_ticks(kTellingCost) * kSamplingShare / 10;
  }

  /// Adds `gain`, missed because the assistant sleeps. True if it is to be woken: several such
  /// calls have missed what a wake-up costs, so densely that an assistant stays awake between them.
  [[nodiscard]] bool is_worth_a_wake_up(std::uint64_t gain) noexcept {
    const std::uint64_t missed = std::exchange(missed_, missed_ + gain);
    if (missed != 0 && missed_ < to_ticks(kWakeUpCost)) {
      return false;
    }
    const std::uint64_t now = ticks();
    was_woken_ = missed != 0 && (now - missed_since_) / kLeastGainShare < missed_;
    missed_since_ = now;
    missed_ = was_woken_ ? 0 : gain;
    wake_up_cost_ = was_woken_ ? to_ticks(kWakeUpCost) : 0;
    return was_woken_;
  }

  /// True for the first call handed over to a woken sleeper: it includes the time until that runs.
  [[nodiscard]] bool waits_for_sleeper() noexcept { return std::exchange(was_woken_, false); }

 private:
  [[nodiscard]] bool allows(std::uint64_t loss, std::uint64_t share,
                            std::uint64_t now) const noexcept {
    return loss + kTimedCalls * to_ticks(kTimedCallCost) <= (now - decided_at_) / share;
  }
  // Calls that come rarely have all the time in the world, but each of them is to be fast. So there
  // have to be so many like those that were decided on.
  [[nodiscard]] bool allows_again(bool is_known, std::uint64_t now) const noexcept {
    return !is_known || calls_since_ >= kCallsBetween || now - decided_at_ >= to_ticks(kLongAgo);
  }
  static std::uint64_t sampling_interval() noexcept {
    static const std::uint64_t interval = to_ticks(kTimedCallCost) * kSamplingShare;
    return interval;
  }

  // A look takes 8 ns, a timed call's 3 more reads 28 ns (EPYC 9004, KVM); the rest is other code.
  static constexpr std::chrono::nanoseconds kLookCost{12};
  static constexpr std::chrono::nanoseconds kTimedCallCost{50};
  static constexpr std::chrono::nanoseconds kTellingCost{15};  // a clock read and two loads
  static constexpr std::uint64_t kSamplingShare = 1000;        // 0.1 % of the time
  static constexpr std::uint64_t kShare = 512;                 // 0.2 %
  static constexpr std::uint64_t kShareAfterChange = 64;       // 1.6 %
  static constexpr std::uint64_t kShareOfMistakes = 32;        // 3 %
  static constexpr std::uint64_t kTimedCalls = 4;  // of an experiment: the first and three more
  static constexpr std::uint32_t kCallsBetween = 32;
  static constexpr std::chrono::seconds kLongAgo{1};
  static constexpr std::uint64_t kOdd = 8;  // times as long, or as short
  static constexpr std::uint32_t kFirstSpacing = 64;
  static constexpr std::uint32_t kLeastSpacing = 16;
  static constexpr std::uint32_t kMostSpacing = 1024;
  // What a call may lose before a change is noticed: the longest work that finegrain is made for.
  static constexpr std::chrono::microseconds kLongCall{10};

  // A stall is a time slice of another program, 3 to 4 ms with Linux's defaults. The gain is
  // remembered up to three of them, and a new site starts with a credit of one. A stall that could
  // not be paid for keeps the site serial for so many times its length, half a second.
  static constexpr std::chrono::milliseconds kMostGained{10};
  static constexpr std::chrono::milliseconds kGainOfANewSite{4};
  static constexpr std::uint64_t kStallShare = 128;  // 0.8 % of the time
  static constexpr std::chrono::milliseconds kMostStall{4};
  // One that makes a call late is a click: it costs and keeps the site serial so many times as long.
  // Beside a busy process the audio example was late 4 times as often as alone with 1, 2 with 32.
  static constexpr std::uint64_t kWorseIfLate = 32;

  // A wake-up takes 9 us of the waking thread, and the sleeper runs after 31 us (EPYC 9004, KVM,
  // Linux 6.18): twice that, as it varies. A wake-up must gain 1/16 of the time.
  static constexpr std::chrono::microseconds kWakeUpCost{10};
  static constexpr std::chrono::microseconds kWakeUpTime{60};
  static constexpr std::uint64_t kLeastGainShare = 16;

  std::uint64_t due_at_ = 0;
  std::uint32_t looks_ = 0;  // with this spacing
  std::uint32_t spacing_ = kFirstSpacing;
  bool is_first_ = true;
  bool is_new_ = true;  // no initial gain instead: the clock's rate is not known at compile time
  bool was_woken_ = false;
  std::uint32_t calls_since_ = kCallsBetween;  // the decision, at least
  std::uint64_t decided_at_ = 0;
  std::uint64_t decided_here_ = 0;
  std::uint64_t decided_shared_ = 0;
  std::uint64_t decided_loss_ = 0;
  std::uint64_t gained_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t missed_since_ = 0;
  std::uint64_t wake_up_cost_ = 0;  // of the current trial
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
