// Does it pay to share a loop? One small controller a call site.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "finegrain/core/clock.hpp"
#include "finegrain/relic/call_site.hpp"
#include "finegrain/relic/missed_gain.hpp"
#include "finegrain/relic/stall_credit.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// What one thread knows of one call site of `parallel_for` or `parallel_reduce`, and what it makes
/// of it: from which length on a loop is shared with the assistant. All times are ticks
/// (core/clock.hpp).
///
/// ## The model
/// `n` iterations take `n * cost` on one thread, and `n * shared_cost + round trip / 2` on two.
/// Both costs are medians of three measured calls. As long as nothing was shared, `shared_cost` is
/// taken to be half of `cost`; a body that is held up by memory or by a lock shows more, and if it
/// is not less than `cost` then nothing is shared. A loop is shared when what it gains on one
/// thread's time is more than a round trip: twice as much as it must be for any gain, as a margin
/// for what the model does not know.
///
/// The site is asked about loops of all lengths; so it holds a length, `serial_up_to`, and no
/// answer.
///
/// ## States
///
///     settled   the longer loops are shared, the others run here
///     trial     the same with an optimistic length; four shared loops are timed to see what it
///     gains recheck   four loops that would be shared run here and are timed, the longest ones
///     excepted
///
/// * settled -> trial: when loops that the optimistic model would share run here, and what they may
///   lose is under 0.2 % of the time since the last decision.
/// * settled -> recheck: when loops are shared, likewise. If they have become much longer or
/// shorter
///   a recheck may cost 1.6 %: another input, another host.
/// * trial, recheck -> settled: by what was seen.
/// * to settled with nothing shared: a stall, when the assistant has lost its CPU to another
/// program,
///   that is longer than what was gained before.
///
/// ## What it costs
/// A call that is not timed: a comparison and a subtraction. The others are so rare that their
/// clock reads stay under 0.1 % of the time; they are counted in iterations, so that the longer of
/// the loops are timed and the clock's 10 ns do not falsify the cost.
///
/// Not synchronized: each thread has its own.
class loop_site {
 public:
  constexpr loop_site() = default;

  // ---- each call; n: its iterations ----

  /// True when nothing is to be measured at this call.
  [[nodiscard]] bool is_quiet(std::uint64_t n) noexcept {
    ++calls_;
    if (n >= quiet_iterations_) {
      return false;
    }
    quiet_iterations_ -= n;
    return true;
  }

  /// True when the loop is to be shared: the decision, or a trial of it.
  [[nodiscard]] bool shares(std::uint64_t n) const noexcept { return n > serial_up_to_; }

  /// What the loop will take on one thread, and the round trip when it was last seen; 0 if not
  /// known.
  [[nodiscard]] double expected_serial(std::uint64_t n) const noexcept {
    const double of_one = shared_cost_.is_full() ? 2 * ticks_each(shared_cost_)
                          : cost_.is_full()      ? ticks_each(cost_)
                                                 : 0;
    return static_cast<double>(n) * of_one;
  }
  [[nodiscard]] double round_trip() const noexcept { return round_trip_; }

  /// Calls that ran here since this was last asked for, if the calling one does.
  [[nodiscard]] std::uint64_t take_calls() noexcept { return std::exchange(calls_, 0); }
  /// The calling one does not: not to be counted. (Modulo 2^64, so after `take_calls` as well.)
  void uncount_call() noexcept { --calls_; }

  // ---- calls that were not quiet ----

  /// True when `timed_serial` wants to know the round trip: not for loops so short that no host
  /// could gain by them.
  [[nodiscard]] static bool wants_round_trip(std::uint64_t elapsed) noexcept {
    return elapsed >= to_ticks(kShortestOfUse);
  }

  /// The loop ran here and took `elapsed`. `now`: the time; `round_trip`: what an empty task costs
  /// there and back, 0 if that is not known or not wanted.
  void timed_serial(std::uint64_t n, std::uint64_t elapsed, std::uint64_t now,
                    std::uint64_t round_trip) noexcept {
    stay_quiet(n, elapsed);
    if (!wants_round_trip(elapsed)) {
      return;  // tells little of an iteration's cost
    }
    if (round_trip != 0) {
      round_trip_ = static_cast<double>(round_trip);
    }
    if (skips_first()) {
      return;
    }
    cost_.add(each(elapsed, n));
    if (!cost_.is_full()) {
      measure_next();
    } else if (phase_ == phase::recheck) {
      settle(n, now);
    } else if (is_worth_a_trial(n, now)) {
      begin_trial();
    } else if (!is_refused_) {
      update_length();
    }
  }

  /// The loop was shared and took `whole`. `now`: the time.
  void timed_shared(std::uint64_t n, std::uint64_t whole, std::uint64_t now) noexcept {
    stay_quiet(n, whole);
    if (phase_ == phase::recheck) {
      measure_next();  // longer than what is checked
      return;
    }
    if (phase_ == phase::trial && is_stall(n, whole)) {
      refuse(now, stall_loss(whole));
      return;
    }
    if (skips_first()) {
      return;
    }
    const auto fixed = static_cast<std::uint64_t>(round_trip_ / 2);
    shared_cost_.add(each(whole - std::min(whole / 2, fixed), n));
    if (!shared_cost_.is_full()) {
      measure_next();
    } else if (phase_ == phase::trial) {
      settle(n, now);
    } else {
      credit_.gain(rounded(static_cast<double>(quiet_iterations_) * gain_each()));
      if (is_worth_a_recheck(n, now)) {
        begin_recheck(n);
      }
    }
  }

  /// The loop was shared because its site was not asked, and took `whole`: notes its cost.
  void timed_unasked(std::uint64_t n, std::uint64_t whole, std::uint64_t round_trip) noexcept {
    round_trip_ = static_cast<double>(round_trip);
    stay_quiet(n, whole);
    const auto fixed = static_cast<std::uint64_t>(round_trip_ / 2);
    shared_cost_.add(each(whole - std::min(whole / 2, fixed), n));
    if (!shared_cost_.is_full()) {
      measure_next();
    }
  }

  /// The calling thread had to wait for `waited` in a loop that was shared: so long that it looked
  /// at the clock. `now`: the time.
  void waited_long(std::uint64_t n, std::uint64_t waited, std::uint64_t now) noexcept {
    if (phase_ == phase::settled && static_cast<double>(waited) > expected_serial(n) &&
        !credit_.pay(waited)) {
      refuse(now, stall_loss(waited));
    }
  }

  /// True when this loop gains more than waking the assistant takes.
  [[nodiscard]] bool outweighs_a_wake_up(std::uint64_t n) const noexcept {
    return expected_gain(n) > to_ticks(kWakeUpTime);
  }

  /// This loop should have been shared, but the assistant sleeps. True when it has become worth a
  /// wake-up.
  [[nodiscard]] bool is_worth_a_wake_up(std::uint64_t n) noexcept {
    return missed_.add(expected_gain(n));
  }

  /// Nothing can be shared by this thread: leaves the following calls quiet for long.
  void rest() noexcept { quiet_iterations_ = kMostQuietIterations; }

 private:
  enum class phase : std::uint8_t { settled, trial, recheck };

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // The cost of one iteration, in 1/1024 ticks: a tick is 0.4 ns, and there are bodies of less.
  static constexpr double kParts = 1024;
  static std::uint64_t each(std::uint64_t elapsed, std::uint64_t n) noexcept {
    return std::max<std::uint64_t>(
        rounded(static_cast<double>(elapsed) / static_cast<double>(n) * kParts), 1);
  }
  static double ticks_each(const detail::median_of_three& cost) noexcept {
    return static_cast<double>(cost.value()) / kParts;
  }
  static std::uint64_t rounded(double count) noexcept {
    constexpr double kMost = 1e18;
    return static_cast<std::uint64_t>(std::clamp(count, 0.0, kMost));
  }

  // What an iteration gains, by the model.
  [[nodiscard]] double gain_each() const noexcept {
    const double alone = ticks_each(cost_);
    return alone - (shared_cost_.is_full() ? ticks_each(shared_cost_) : alone / 2);
  }
  [[nodiscard]] double gain_of(double n) const noexcept {
    return n * gain_each() - round_trip_ / 2;
  }
  [[nodiscard]] std::uint64_t expected_gain(std::uint64_t n) const noexcept {
    return cost_.is_full() ? rounded(gain_of(static_cast<double>(n))) : 0;
  }

  void update_length() noexcept {
    const double margin = ticks_each(cost_) / 64;  // what stays must be beaten by as much
    const double gain = gain_each() - margin;
    serial_up_to_ = round_trip_ > 0 && gain > 0 ? rounded(round_trip_ / gain) : kNever;
  }

  // The first call after a change of sides finds its data in the other core's cache.
  bool skips_first() noexcept {
    const bool first = is_first_;
    is_first_ = false;
    if (first) {
      measure_next();
    }
    return first;
  }

  void begin(phase next) noexcept {
    phase_ = next;
    is_first_ = true;
    measure_next();
  }

  void begin_trial() noexcept {
    begin(phase::trial);
    shared_cost_.clear();
    is_refused_ = false;
    update_length();
  }

  void begin_recheck(std::uint64_t n) noexcept {
    begin(phase::recheck);
    cost_.clear();
    serial_up_to_ = std::max(serial_up_to_, n + std::min(n, kNever - n));
  }

  // The length that the model would choose that knows nothing but the cost of a serial iteration.
  [[nodiscard]] bool is_promising(std::uint64_t n) const noexcept {
    return round_trip_ > 0 && static_cast<double>(n) * ticks_each(cost_) > 2 * round_trip_;
  }

  [[nodiscard]] bool is_worth_a_trial(std::uint64_t n, std::uint64_t now) const noexcept {
    if (phase_ != phase::settled || !is_promising(n)) {
      return false;
    }
    if (decided_at_ == 0) {
      return true;
    }
    const double model_loss = kTimedCalls * -gain_of(static_cast<double>(n));
    const std::uint64_t loss = is_refused_ ? refused_loss_ : rounded(model_loss);
    return loss + timing_cost() <= (now - decided_at_) / kExplorationShare;
  }

  [[nodiscard]] bool is_worth_a_recheck(std::uint64_t n, std::uint64_t now) const noexcept {
    const bool changed = 4 * shared_cost_.value() < 3 * decided_shared_cost_ ||
                         3 * shared_cost_.value() > 4 * decided_shared_cost_;
    const auto loss = rounded(kTimedCalls * gain_of(static_cast<double>(n)));
    return loss + timing_cost() <=
           (now - decided_at_) / (changed ? kChangeShare : kExplorationShare);
  }

  // By the costs of both sides.
  void settle(std::uint64_t n, std::uint64_t now) noexcept {
    phase_ = phase::settled;
    decided_at_ = now;
    decided_shared_cost_ = shared_cost_.value();
    update_length();
    if (serial_up_to_ == kNever) {
      refuse(now, rounded(kTimedCalls * -gain_of(static_cast<double>(n))));
    }
  }

  // Nothing is shared until `loss` is a small share of the time that has passed.
  void refuse(std::uint64_t now, std::uint64_t loss) noexcept {
    begin(phase::settled);
    is_refused_ = true;
    refused_loss_ = loss;
    decided_at_ = now;
    serial_up_to_ = kNever;
  }

  [[nodiscard]] bool is_stall(std::uint64_t n, std::uint64_t whole) const noexcept {
    return whole > to_ticks(kStall) &&
           static_cast<double>(whole) > 4 * static_cast<double>(n) * ticks_each(cost_);
  }
  static std::uint64_t stall_loss(std::uint64_t stall) noexcept {
    return std::min(stall, to_ticks(kMostStall)) * kStallShare / kExplorationShare;
  }

  void measure_next() noexcept { quiet_iterations_ = 0; }

  // As many iterations as make the timed call's cost a small share, if they take what these took.
  void stay_quiet(std::uint64_t n, std::uint64_t elapsed) noexcept {
    static const auto ticks = static_cast<double>(to_ticks(kTimedCallCost) * kSamplingShare);
    const double count = ticks * static_cast<double>(n) / static_cast<double>(elapsed + 1);
    quiet_iterations_ = std::min(rounded(count), kMostQuietIterations);
  }

  // Of the timed calls of a trial or recheck.
  static std::uint64_t timing_cost() noexcept {
    static const std::uint64_t cost =
        static_cast<std::uint64_t>(kTimedCalls) * to_ticks(kTimedCallCost);
    return cost;
  }

  // No host is known that hands a task over and back in less (62 ns, EPYC 9004, KVM, at its best).
  static constexpr std::chrono::nanoseconds kShortestOfUse{50};
  // Two clock reads of 10 ns and what is around them (EPYC 9004, KVM).
  static constexpr std::chrono::nanoseconds kTimedCallCost{50};
  static constexpr std::uint64_t kSamplingShare = 1000;    // 0.1 % of the time
  static constexpr std::uint64_t kExplorationShare = 512;  // 0.2 %
  static constexpr std::uint64_t kChangeShare = 64;        // 1.6 %
  static constexpr double kTimedCalls = 4;  // of a trial or recheck: three and the first
  static constexpr std::uint64_t kMostQuietIterations = 1 << 20;
  // Twice what passes until a sleeper runs (31 us, EPYC 9004, KVM, Linux 6.18).
  static constexpr std::chrono::microseconds kWakeUpTime{60};
  // A stall that could not be paid for keeps the site serial for its length times kStallShare: half
  // a second for a time slice of 4 ms.
  static constexpr std::uint64_t kStallShare = 128;  // 0.8 %
  static constexpr std::chrono::milliseconds kMostStall{4};
  static constexpr std::chrono::microseconds kStall{20};

  std::uint64_t quiet_iterations_ = 0;
  std::uint64_t serial_up_to_ = kNever;
  std::uint64_t calls_ = 0;
  phase phase_ = phase::settled;
  bool is_first_ = true;
  bool is_refused_ = false;
  double round_trip_ = 0;
  detail::median_of_three cost_;         // of an iteration run here
  detail::median_of_three shared_cost_;  // of one of a shared loop, the round trip taken off
  std::uint64_t decided_at_ = 0;
  std::uint64_t decided_shared_cost_ = 0;
  std::uint64_t refused_loss_ = 0;
  detail::missed_gain missed_;
  detail::stall_credit credit_;
};

}  // namespace fg::inline FINEGRAIN_ABI
