// Per-call-site controller that decides whether to hand a branch over.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "finegrain/relic/missed_gain.hpp"
#include "finegrain/relic/stall_credit.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The median of the last three numbers: one interrupted sample changes nothing, two in a row are
/// believed.
class median_of_three {
 public:
  void add(std::uint64_t sample) noexcept {
    samples_[count_ % samples_.size()] = sample;
    ++count_;
  }
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

}  // namespace detail

/// What one thread knows of one call site of `fork_join`, and what it makes of it: run both
/// branches here, or hand one over. All times are ticks (core/clock.hpp).
///
/// ## States
///
///     serial      both branches run here
///     trial       the next four calls hand over and are timed, to see what it really costs
///     offloading  one branch is handed over
///     recheck     the next four calls run here and are timed, to see what that would cost
///
/// In serial and offloading most calls only count down; now and then one is timed.
///
/// * serial -> trial: when the model promises a gain: the whole would take the longer of `f` and
///   `g + round trip`, against `f + g`. When it promises a small loss, now and then all the same,
///   because the model does not know caches.
/// * trial -> offloading or serial, by the times seen.
/// * offloading -> recheck: now and then, and soon when the calls have become much longer or
/// shorter
///   than they were when it was decided: another input, another host.
/// * recheck -> offloading or serial, by the times seen.
/// * offloading -> serial: when calls that stalled, because the assistant had lost its CPU to
///   another program, have eaten up what the others had gained.
///
/// ## What it costs
/// Timed calls are so rare that their clock reads stay under 0.1 % of the time; under 0.05 ns a
/// call where calls are shorter than 50 ns, and under 0.8 ns for a second after the calls have
/// become eight times as long or as short. A trial or a recheck is only begun when what it may lose
/// is under 0.2 % of the time since the last one. What it may lose is the model's or the last
/// sample's difference; after a trial that was lost, and as long as the calls take as long as then,
/// what that one lost. (A recheck for a change may cost 1.6
/// %.)
///
/// Not synchronized: each thread has its own.
class call_site {
 public:
  constexpr call_site() = default;

  // ---- each call ----

  /// True when nothing is to be measured at this call.
  [[nodiscard]] bool is_quiet() noexcept { return --quiet_calls_ > 0; }

  /// True when the next `timed_serial` wants to know the round trip: not for branches so short that
  /// no host could gain by them.
  [[nodiscard]] bool wants_round_trip() const noexcept {
    return f_.is_full() && (round_trip_ == 0 || 4 * serial() > round_trip_);
  }

  /// True when calls are to hand over: the decision, or a trial of it.
  [[nodiscard]] bool hands_over() const noexcept {
    return state_ == state::offloading || state_ == state::trial;
  }

  // ---- calls that were not quiet ----

  /// Calls since the last one that was not quiet, this one included.
  [[nodiscard]] std::uint32_t calls_since_sample() const noexcept {
    return static_cast<std::uint32_t>(period_);
  }

  /// Both branches ran here and took `f` and `g`. `now`: the time; `round_trip`: what an empty task
  /// costs there and back, 0 if that is not known or not wanted.
  void timed_serial(std::uint64_t f, std::uint64_t g, std::uint64_t now,
                    std::uint64_t round_trip) noexcept {
    if (is_first_of_state()) {
      return;
    }
    watch(f_.is_full() ? serial() : f + g, f + g, now);
    f_.add(f);
    g_.add(g);
    if (!f_.is_full()) {
      stay_quiet(1);
    } else if (state_ == state::recheck) {
      decide(now);
    } else {
      stay_quiet(calls_between_samples(f + g, now));
      round_trip_ = round_trip == 0 ? round_trip_ : round_trip;
      if (is_worth_a_trial(now)) {
        whole_.clear();
        begin(state::trial);
      }
    }
  }

  /// A branch was handed over and the whole took `whole`. `now`: the time.
  void timed_hand_over(std::uint64_t whole, std::uint64_t now) noexcept {
    if (state_ == state::trial && whole > std::max(4 * serial(), to_ticks(kStall))) {
      refuse(now, whole);  // the assistant has no CPU at the moment
      return;
    }
    if (is_first_of_state()) {
      return;
    }
    watch(state_ == state::offloading ? decided_whole_ : whole, whole, now);
    whole_.add(whole);
    if (!whole_.is_full()) {
      stay_quiet(1);
    } else if (state_ == state::trial) {
      decide(now);
    } else {
      stalls_.gain(static_cast<std::uint64_t>(period_) * excess(decided_serial_, whole));
      stay_quiet(calls_between_samples(whole, now));
      if (is_worth_a_recheck(now)) {
        f_.clear();
        g_.clear();
        begin(state::recheck);
      }
    }
  }

  /// The calling thread had to wait for `waited` in a call that was handed over: so long that it
  /// looked at the clock. `now`: the time.
  void waited_long(std::uint64_t waited, std::uint64_t now) noexcept {
    if (state_ != state::offloading || waited < 2 * decided_whole_) {
      return;  // these branches are that long, or it is measured anyway
    }
    if (stalls_.pay(waited)) {
      return;
    }
    refuse(now, waited);
  }

  /// True when a single call gains more than waking the assistant takes.
  [[nodiscard]] bool outweighs_a_wake_up() const noexcept {
    return expected_gain() > to_ticks(kWakeUpTime);
  }

  /// This call should have been handed over, but the assistant sleeps. Adds up what was lost by
  /// that. True when it has become worth a wake-up, because such calls come in quick succession;
  /// calls too far apart to keep an assistant awake never are.
  [[nodiscard]] bool is_worth_a_wake_up() noexcept {
    const std::uint64_t cost = to_ticks(kWakeUpCost);
    const std::uint64_t gain = expected_gain();
    const std::uint64_t calls = std::clamp<std::uint64_t>(
        cost / 4 / std::max<std::uint64_t>(gain, 1), 1, kMostCallsBetweenMisses);
    stay_quiet(static_cast<std::int32_t>(calls));
    const bool worth = missed_.add(calls * gain);
    wake_up_cost_ = worth ? cost : 0;
    return worth;
  }

  /// Nothing can be handed over by this thread: leaves the following calls quiet for long.
  void rest() noexcept { stay_quiet(kRest); }

 private:
  enum class state : std::uint8_t { serial, trial, offloading, recheck };

  // The first call after a change of sides finds its data in the other core's cache.
  bool is_first_of_state() noexcept {
    const bool first = first_of_state_;
    first_of_state_ = false;
    if (first) {
      stay_quiet(1);
    }
    return first;
  }

  void stay_quiet(std::int32_t calls) noexcept { quiet_calls_ = period_ = calls; }

  void begin(state next) noexcept {
    state_ = next;
    first_of_state_ = true;
    stay_quiet(1);
  }

  // Back to serial after a stall.
  void refuse(std::uint64_t now, std::uint64_t stall) noexcept {
    refused_serial_ = serial();
    refused_loss_ = std::min(stall, to_ticks(kMostStall)) * kStallShare / kExplorationShare;
    decided_at_ = now;
    begin(state::serial);
  }

  [[nodiscard]] std::uint64_t serial() const noexcept { return f_.value() + g_.value(); }
  [[nodiscard]] std::uint64_t predicted() const noexcept {
    return std::max(f_.value(), g_.value() + round_trip_);
  }
  static std::uint64_t excess(std::uint64_t a, std::uint64_t b) noexcept {
    return a > b ? a - b : 0;
  }
  static bool is_about(std::uint64_t a, std::uint64_t b) noexcept {
    return 4 * a > 3 * b && 4 * b > 3 * a;
  }

  [[nodiscard]] std::uint64_t expected_gain() const noexcept {
    if (!f_.is_full()) {
      return 0;
    }
    return excess(serial(), whole_.is_full() ? whole_.value() : predicted());
  }

  [[nodiscard]] bool is_worth_a_trial(std::uint64_t now) const noexcept {
    if (round_trip_ == 0 || 2 * predicted() > 3 * serial()) {
      return false;  // hopeless
    }
    std::uint64_t loss = kTimedCalls * excess(predicted(), serial());
    if (is_about(serial(), refused_serial_)) {
      loss = std::max(loss, refused_loss_);
    }
    return loss + timing_cost() <= (now - decided_at_) / kExplorationShare;
  }

  [[nodiscard]] bool is_worth_a_recheck(std::uint64_t now) const noexcept {
    const std::uint64_t whole = whole_.value();
    const std::uint64_t time = now - decided_at_;
    if (!is_about(whole, decided_whole_)) {  // then what it costs serially is not known any more
      return kTimedCalls * whole + timing_cost() <= time / kChangeShare;
    }
    return kTimedCalls * excess(decided_serial_, whole) + timing_cost() <= time / kExplorationShare;
  }

  // By the times of both sides. What stays must be beaten by 1/64: else two equals would alternate.
  void decide(std::uint64_t now) noexcept {
    const std::uint64_t serial_time = serial();
    const std::uint64_t whole = whole_.value();
    const bool was_trial = state_ == state::trial;
    const bool gains =
        was_trial ? whole + whole / 64 < serial_time : whole < serial_time + serial_time / 64;
    if (!gains) {
      refused_serial_ = serial_time;
      refused_loss_ = kTimedCalls * excess(whole, serial_time) + wake_up_cost_;
    }
    decided_serial_ = serial_time;
    decided_whole_ = whole;
    decided_at_ = now;
    state_ = gains ? state::offloading : state::serial;
    wake_up_cost_ = 0;
    stay_quiet(calls_between_samples(gains ? whole : serial_time, now));
  }

  // Of the timed calls of a trial or recheck.
  static std::uint64_t timing_cost() noexcept {
    static const std::uint64_t cost = kTimedCalls * to_ticks(kTimedCallCost);
    return cost;
  }

  // Calls of `usual` length have become calls of length `now_takes`, perhaps.
  void watch(std::uint64_t usual, std::uint64_t now_takes, std::uint64_t now) noexcept {
    if (now_takes > kLeap * usual || usual > kLeap * now_takes) {
      leapt_at_ = now;
    }
  }

  // A site that became much longer is noticed after so many of the longer calls. So the number has
  // a limit, and a lower one for sites that do that.
  [[nodiscard]] std::int32_t calls_between_samples(std::uint64_t duration,
                                                   std::uint64_t now) const noexcept {
    static const std::uint64_t cost = to_ticks(kTimedCallCost) * kSamplingShare;
    const bool leaps = leapt_at_ != 0 && now - leapt_at_ < to_ticks(kLeapsFor);
    const std::uint64_t most = leaps ? kMostQuietCallsOfLeapers : kMostQuietCalls;
    return static_cast<std::int32_t>(
        std::clamp<std::uint64_t>(cost / std::max<std::uint64_t>(duration, 1), 1, most));
  }

  // Three clock reads of 10 ns and what is around them (EPYC 9004, KVM).
  static constexpr std::chrono::nanoseconds kTimedCallCost{50};
  static constexpr std::uint64_t kSamplingShare = 1000;    // 0.1 % of the time
  static constexpr std::uint64_t kExplorationShare = 512;  // 0.2 %
  static constexpr std::uint64_t kChangeShare = 64;        // 1.6 %
  static constexpr std::uint64_t kTimedCalls = 4;  // of a trial or recheck: three and the first
  static constexpr std::uint64_t kMostQuietCalls = 1024;         // 0.05 ns a call
  static constexpr std::uint64_t kMostQuietCallsOfLeapers = 64;  // 0.8 ns a call
  static constexpr std::uint64_t kLeap = 8;
  static constexpr std::chrono::seconds kLeapsFor{1};
  static constexpr std::int32_t kRest = 1 << 14;
  static constexpr std::uint64_t kMostCallsBetweenMisses = 8;
  // 9 us for the thread that gives it, and it takes effect after 31 us (EPYC 9004, KVM,
  // Linux 6.18).
  static constexpr std::chrono::microseconds kWakeUpCost{10};
  static constexpr std::chrono::microseconds kWakeUpTime{
      60};  // twice what passes until a sleeper runs

  // A stall that could not be paid for keeps the site serial for so many times its length, half a
  // second for a time slice of 4 ms.
  static constexpr std::uint64_t kStallShare = 128;  // 0.8 % of the time
  static constexpr std::chrono::milliseconds kMostStall{4};
  static constexpr std::chrono::microseconds kStall{20};

  std::int32_t quiet_calls_ = 1;
  std::int32_t period_ = 1;  // what quiet_calls_ began with
  state state_ = state::serial;
  bool first_of_state_ = true;
  detail::median_of_three f_;  // the branches, run here
  detail::median_of_three g_;
  detail::median_of_three whole_;  // handed over
  std::uint64_t round_trip_ = 0;
  std::uint64_t leapt_at_ = 0;
  std::uint64_t decided_at_ = 0;
  std::uint64_t decided_serial_ = 0;
  std::uint64_t decided_whole_ = 0;
  std::uint64_t refused_serial_ = 0;  // when handing over was last decided against
  std::uint64_t refused_loss_ = 0;
  detail::stall_credit stalls_;
  std::uint64_t wake_up_cost_ = 0;  // of the trial that is on
  detail::missed_gain missed_;
};

}  // namespace fg::inline FINEGRAIN_ABI
