// Per-call-site controller that decides whether to hand a branch over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// What one thread knows about one call site of `fork_join`, and what it decides: to run both
/// branches here, or to hand one over. All times are ticks (core/clock.hpp).
///
/// ## States
///
///     serial      both branches run here
///     trial       the next four calls hand over and are timed, to measure the real cost
///     offloading  one branch is handed over
///     recheck     the next four calls run here and are timed, to measure what that would cost
///
/// In serial and offloading most calls only count down; now and then one is timed. The very first
/// call is handed over, untimed.
///
/// * serial -> trial: when the model predicts a gain: the whole would take the longer of `f` and
///   `g + round trip`, against `f + g`. Now and then also when it predicts a small loss, because
///   the model does not know about caches. At once after the first timed call if both branches took
///   more than 20 us.
/// * trial -> offloading or serial, by the measured times.
/// * offloading -> recheck: now and then, and soon when the calls have become longer or shorter
///   than at the decision: another input, another host.
/// * recheck -> offloading or serial, by the measured times.
/// * offloading -> serial: when calls that stalled, because the assistant had lost its CPU to
///   another program, have used up what the others had gained (more, if they made calls late).
///
/// What timing, trials and rechecks may cost, and when they run: see exploration_budget.hpp.
///
/// Not synchronized: each thread has its own.
class call_site {
 public:
  constexpr call_site() = default;

  // ---- each call ----

  /// True for the first call that asks. It should be handed over: it may be the only one, and long.
  [[nodiscard]] bool is_first_call() noexcept { return std::exchange(is_first_call_, false); }

  /// True if nothing is to be measured at this call.
  [[nodiscard]] bool is_quiet() noexcept { return --quiet_calls_ > 0; }

  /// True if calls are to hand over, by the decision or for a trial of it.
  [[nodiscard]] bool hands_over() const noexcept {
    return state_ == state::offloading || state_ == state::trial;
  }

  // ---- calls that were not quiet ----

  /// The number of calls since the last one that was not quiet, this one included.
  [[nodiscard]] std::uint32_t calls_since_look() const noexcept {
    return static_cast<std::uint32_t>(period_);
  }

  /// The call reads the clock: `now`. True if the call is to be timed.
  [[nodiscard]] bool look(std::uint64_t now) noexcept {
    if (state_ == state::offloading) {
      budget_.gain(static_cast<std::uint64_t>(period_) * expected_gain());
    }
    if (budget_.is_due(now)) {
      return true;
    }
    stay_quiet();
    return false;
  }

  /// True if the next `timed_serial` needs the round trip: not for branches so short that no host
  /// could gain by handing them over.
  [[nodiscard]] bool wants_round_trip() const noexcept {
    return serial_.is_full() && (round_trip_ == 0 || 4 * serial_.value() > round_trip_);
  }

  /// Both branches ran here and took `f` and `g`. `now`: the current time; `round_trip`: that of an
  /// empty task, 0 if it is not known or not needed.
  void timed_serial(std::uint64_t f, std::uint64_t g, std::uint64_t now,
                    std::uint64_t round_trip) noexcept {
    round_trip_ = round_trip == 0 ? round_trip_ : round_trip;
    if (!serial_.is_full() && std::min(f, g) > to_ticks(budget::kAlwaysShared)) {
      begin_trial_of_long(f, g);
      return;
    }
    f_.add(f);
    const bool is_known = budget_.add(serial_, f + g, now);
    if (is_known && state_ == state::recheck) {
      decide(now);
    } else if (is_known && is_worth_a_trial(now)) {
      whole_.clear();
      begin(state::trial);
    } else {
      stay_quiet();
    }
  }

  /// The calling thread has `waited` in a call that was handed over. `period`: what the calls come in;
  /// 0: none. `now`: the current time. True for a stall: the call's time says nothing about others.
  [[nodiscard]] bool stalled(const detail::long_wait& waited, std::uint64_t period,
                             std::uint64_t now) noexcept {
    const std::uint64_t here = serial_.value();
    if (waited.ticks <= here) {
      return false;  // the branches may take that long
    }
    if (!budget_.waits_for_sleeper() && !budget_.pay(waited, here, period, here, now)) {
      begin(state::serial);
    } else if (quiet_calls_ <= 0) {
      stay_quiet(1);  // time the next one instead
    }
    return true;
  }

  /// A branch was handed over and the whole call took `whole`. `now`: the current time.
  void timed_hand_over(std::uint64_t whole, std::uint64_t now) noexcept {
    if (budget_.waits_for_sleeper()) {
      stay_quiet(1);  // not representative: time the next one
      return;
    }
    const bool is_known = budget_.add(whole_, whole, now);
    if (is_known && state_ == state::trial) {
      decide(now);
    } else if (is_known && budget_.allows_recheck(whole_.value(), expected_gain(), whole, now)) {
      serial_.clear();
      begin(state::recheck);
    } else {
      stay_quiet();
    }
  }

  /// True if a single call gains more than waking the assistant takes.
  [[nodiscard]] bool outweighs_a_wake_up() const noexcept {
    return budget::outweighs_a_wake_up(expected_gain());
  }

  /// This call should have been handed over, but the assistant sleeps. True if that has happened so
  /// often, in quick succession, that it is worth a wake-up.
  [[nodiscard]] bool is_worth_a_wake_up() noexcept {
    stay_quiet(1);
    const std::uint64_t gain = expected_gain();
    if (gain == 0) {  // a trial that the model does not favour: another time
      budget_.decide(serial_.value(), 0, 0, false, ticks());
      begin(state::serial);
      return false;
    }
    return budget_.is_worth_a_wake_up(gain);
  }

  /// True if it may take the time to tell the sleeper what this call has missed.
  [[nodiscard]] bool pays_for_telling() const noexcept {
    return budget::pays_for_telling(expected_gain());
  }

  /// This thread can hand nothing over: makes the following calls quiet for a long time.
  void rest() noexcept { stay_quiet(1 << 14); }

 private:
  using budget = detail::exploration_budget;
  enum class state : std::uint8_t { serial, trial, offloading, recheck };

  void stay_quiet(std::int32_t calls) noexcept { quiet_calls_ = period_ = calls; }
  void stay_quiet() noexcept {
    const auto& usual = state_ == state::offloading ? whole_ : serial_;
    stay_quiet(
        budget_.times_next() ? 1 : static_cast<std::int32_t>(budget_.calls_to_look(usual.value())));
  }

  void begin(state next) noexcept {
    state_ = next;
    budget_.change_sides();
    stay_quiet(1);
  }

  // Branches of which one call is enough to promise a gain, on every host.
  void begin_trial_of_long(std::uint64_t f, std::uint64_t g) noexcept {
    while (!serial_.is_full()) {
      f_.add(f);
      serial_.add(f + g);
    }
    begin(state::trial);
  }

  static std::uint64_t excess(std::uint64_t a, std::uint64_t b) noexcept {
    return a > b ? a - b : 0;
  }
  [[nodiscard]] std::uint64_t predicted() const noexcept {
    return std::max(f_.value(), excess(serial_.value(), f_.value()) + round_trip_);
  }
  [[nodiscard]] std::uint64_t expected_gain() const noexcept {
    return serial_.is_full()
               ? excess(serial_.value(), whole_.is_full() ? whole_.value() : predicted())
               : 0;
  }

  [[nodiscard]] bool is_worth_a_trial(std::uint64_t now) const noexcept {
    const std::uint64_t here = serial_.value();
    const bool is_hopeless = round_trip_ == 0 || 2 * predicted() > 3 * here;
    return !is_hopeless && budget_.allows_trial(here, excess(predicted(), here), now);
  }

  // By the times of both sides. A change must gain 1/64: else two equal sides would alternate.
  void decide(std::uint64_t now) noexcept {
    const std::uint64_t here = serial_.value();
    const std::uint64_t whole = whole_.value();
    const bool was_trial = state_ == state::trial;
    const bool gains = was_trial ? whole + whole / 64 < here : whole < here + here / 64;
    const std::uint64_t loss = gains ? 0 : excess(whole, here);
    const std::uint64_t lost = was_trial ? 0 : budget_.lost_since(whole, loss, now);
    budget_.decide(here, whole, loss, gains == was_trial, now, lost);
    state_ = gains ? state::offloading : state::serial;
    stay_quiet();
  }

  std::int32_t quiet_calls_ = 1;
  std::int32_t period_ = 1;  // the initial value of quiet_calls_
  state state_ = state::serial;
  bool is_first_call_ = true;
  detail::median_of_three f_;       // run here
  detail::median_of_three serial_;  // both branches, run here
  detail::median_of_three whole_;   // with one handed over
  std::uint64_t round_trip_ = 0;
  budget budget_;
};

}  // namespace fg::inline FINEGRAIN_ABI
