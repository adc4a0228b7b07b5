// Per-call-site controller that decides from which length a loop is shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// What one thread knows about one call site of `parallel_for` or `parallel_reduce`, and what it
/// decides: from which length a loop is shared, with the assistant of a relic or with the other
/// workers of a pool. All times are ticks (core/clock.hpp).
///
/// ## The model
/// `n` iterations take `n * cost` on one thread, and `n * shared_cost + round trip / 2` on two.
/// Both costs are medians of three measured calls. Until a loop has been shared, `shared_cost` is
/// taken to be half of `cost`; a body that is limited by memory or by a lock shows more, and if it
/// is not less than `cost`, nothing is shared. A loop is shared if what it gains over one thread's
/// time is more than a round trip: twice as much as any gain requires, as a margin for what the
/// model does not know.
///
/// The site is asked about loops of all lengths, so it holds a length, `serial_up_to`, and no
/// answer.
///
/// ## States
///
///     settled   the longer loops are shared, the others run here
///     trial     the same with an optimistic length; four shared loops are timed to measure the
///               gain
///     recheck   four loops that would be shared run here and are timed, except for the longest
///
/// * settled -> trial: when loops that the optimistic model would share run here.
/// * settled -> recheck: when loops are shared, now and then, and soon when their iterations have
///   become much longer or shorter: another input, another host.
/// * trial, recheck -> settled: by the measured times.
/// * to settled with nothing shared: after a stall, when the assistant has lost its CPU to another
///   program, that is longer than what was gained before.
///
/// ## Pools
/// A pool's loop may be called once and take seconds, on many workers. So its site, made by
/// `for_pool`, shares until it knows more, and always shares what would take 20 us or more here:
/// sharing costs little of that, and workers that become idle find something.
/// Only loops that take less than that when shared are rechecked. A loop that runs here but turns
/// out long is shared from there on (algorithm/pool/adaptive_loop.hpp); in a recheck that is no
/// surprise, and the part that ran here is its measurement. A loop that was offered may not be
/// taken, because all other workers are busy: this says nothing about sharing, and counts as run
/// here.
///
/// What timing, trials and rechecks may cost, and when they run: controller/exploration_budget.hpp.
/// Calls are counted in iterations, so that the longer loops are timed and the clock's 10 ns do not
/// distort the cost.
///
/// Not synchronized: each thread has its own.
class loop_site {
 public:
  constexpr loop_site() = default;

  /// A site for loops of a pool.
  [[nodiscard]] static constexpr loop_site for_pool() noexcept {
    loop_site site;
    site.shares_long_loops_ = true;
    site.serial_up_to_ = 0;
    return site;
  }

  // ---- each call; n: its iterations ----

  /// True if nothing is to be measured at this call.
  [[nodiscard]] bool is_quiet(std::uint64_t n) noexcept {
    ++calls_;
    if (n >= quiet_iterations_) {
      return false;
    }
    quiet_iterations_ -= n;
    return true;
  }

  /// True if the loop is to be shared, by the decision or for a trial of it.
  [[nodiscard]] bool shares(std::uint64_t n) const noexcept { return n > serial_up_to_; }

  /// The expected time of the loop on one thread, and the latest round trip; 0 if not known.
  [[nodiscard]] double expected_serial(std::uint64_t n) const noexcept {
    const double of_one = shared_cost_.is_full() ? 2 * ticks_each(shared_cost_)
                          : cost_.is_full()      ? ticks_each(cost_)
                                                 : 0;
    return static_cast<double>(n) * of_one;
  }
  [[nodiscard]] double round_trip() const noexcept { return round_trip_; }

  /// How many iterations take `ticks` on one thread, at least 1; 0 if their cost is not known.
  [[nodiscard]] std::uint64_t iterations_in(double ticks) const noexcept {
    return cost_.is_full() ? std::max<std::uint64_t>(rounded(ticks / ticks_each(cost_)), 1) : 0;
  }

  /// The number of calls that ran here since the last request, if the current one does.
  [[nodiscard]] std::uint64_t take_calls() noexcept { return std::exchange(calls_, 0); }
  /// The current one does not: it is not counted. (Modulo 2^64, so also after `take_calls`.)
  void uncount_call() noexcept { --calls_; }

  // ---- calls that were not quiet ----

  /// The call reads the clock: `now`. True if the call is to be timed.
  [[nodiscard]] bool look(std::uint64_t n, std::uint64_t now) noexcept {
    if (budget_.is_due(now)) {
      return true;
    }
    stay_quiet(n);
    return false;
  }

  /// True if `timed_serial` needs the round trip: not for loops too short to gain on any host.
  [[nodiscard]] static bool wants_round_trip(std::uint64_t elapsed) noexcept {
    return elapsed >= to_ticks(kShortestOfUse);
  }

  /// The loop ran here and took `elapsed`. `now`: the current time; `round_trip`: that of an empty
  /// task, 0 if it is not known or not needed.
  void timed_serial(std::uint64_t n, std::uint64_t elapsed, std::uint64_t now,
                    std::uint64_t round_trip) noexcept {
    const bool is_rechecked = phase_ == phase::recheck && n > serial_up_to_ / 4;
    if (!wants_round_trip(elapsed) && !is_rechecked) {  // says little about an iteration
      if (phase_ == phase::settled) {
        budget_.timed(now);
      }
      stay_quiet(n);
      return;
    }
    round_trip_ = round_trip == 0 ? round_trip_ : static_cast<double>(round_trip);
    const bool is_known = add_serial(n, elapsed, now);
    if (is_known && phase_ == phase::recheck) {
      settle(n, now);
    } else if (is_known && is_worth_a_trial(n, now)) {
      begin_trial();
    } else if (is_known) {
      follow_cost();
    }
  }

  /// The loop was shared and took `whole`. `now`: the current time.
  void timed_shared(std::uint64_t n, std::uint64_t whole, std::uint64_t now) noexcept {
    if (phase_ == phase::recheck || budget_.waits_for_sleeper()) {
      return;  // longer than what is checked, or not representative: time the next one
    }
    const bool is_known = add(shared_cost_, without_round_trip(whole), n, now);
    if (is_known && phase_ == phase::trial) {
      settle(n, now);
    } else if (is_known && may_recheck(whole) &&
               budget_.allows_recheck(shared_cost_.value(), expected_gain(n), whole, now)) {
      begin_recheck(n);
    }
  }

  /// The loop was offered to other workers, none took a part, and it took `elapsed`. `now`: the
  /// current time; `round_trip`: as above.
  void timed_untaken(std::uint64_t n, std::uint64_t elapsed, std::uint64_t now,
                     std::uint64_t round_trip) noexcept {
    round_trip_ = static_cast<double>(round_trip);
    if (phase_ == phase::trial) {  // it still has to be tried
      budget_.timed(now);
      stay_quiet(n);
    } else if (add_serial(n, elapsed, now)) {
      follow_cost();
    }
  }

  /// The loop was shared without asking its site, and took `whole`: records its cost.
  void timed_unasked(std::uint64_t n, std::uint64_t whole, std::uint64_t now,
                     std::uint64_t round_trip) noexcept {
    round_trip_ = static_cast<double>(round_trip);
    static_cast<void>(add(shared_cost_, without_round_trip(whole), n, now));
  }

  /// The calling thread has `waited` in a shared loop. `period`: what the loops come in; 0: none.
  /// `now`: the current time. True for a stall: the loop's time says nothing about others.
  [[nodiscard]] bool stalled(std::uint64_t n, const detail::long_wait& waited, std::uint64_t period,
                             std::uint64_t now) noexcept {
    const std::uint64_t here = rounded(expected_serial(n));
    if (waited.ticks <= here) {
      return false;  // the iterations may take that long
    }
    if (phase_ != phase::recheck && !budget_.waits_for_sleeper() &&
        !budget_.pay(waited, here, period, cost_.value(), now)) {
      share_nothing();
    }
    return true;
  }

  /// As `timed_serial`, for the first `n` iterations of a loop whose rest is shared, as it is too
  /// long for one thread; `elapsed`: 0 if it is not timed. Only a recheck learns by it: else the loop
  /// was expected to be short, and nothing known before holds.
  void timed_long(std::uint64_t n, std::uint64_t elapsed, std::uint64_t now,
                  std::uint64_t round_trip) noexcept {
    if (phase_ == phase::recheck && elapsed != 0) {
      timed_serial(n, elapsed, now, round_trip);
    } else {
      *this = for_pool();
      round_trip_ = static_cast<double>(round_trip);
    }
  }

  /// On a pool: the number of iterations after which it looks at the clock; 0: at each call.
  [[nodiscard]] std::uint64_t iterations_to_look() const noexcept { return iterations_to_look_; }

  /// True if nothing is known about the loops yet.
  [[nodiscard]] bool is_new() const noexcept { return !cost_.is_full() && !shared_cost_.is_full(); }

  /// True if this loop gains more than waking the assistant, or a worker, takes.
  [[nodiscard]] bool outweighs_a_wake_up(std::uint64_t n) const noexcept {
    return budget::outweighs_a_wake_up(expected_gain(n));
  }

  /// True if this loop gains more than it takes to wake another thread without waiting for it.
  [[nodiscard]] bool pays_for_waking(std::uint64_t n) const noexcept {
    return budget::pays_for_waking(expected_gain(n));
  }

  /// This loop should have been shared, but the assistant sleeps. True if it is now worth a wake-up.
  [[nodiscard]] bool is_worth_a_wake_up(std::uint64_t n) noexcept {
    return budget_.is_worth_a_wake_up(expected_gain(n));
  }

  /// True if it may take the time to tell the sleeper what this call has missed.
  [[nodiscard]] bool pays_for_telling(std::uint64_t n) const noexcept {
    return budget::pays_for_telling(expected_gain(n));
  }

  /// This thread can share nothing: makes the following calls quiet for a long time.
  void rest() noexcept { quiet_iterations_ = kMostQuietIterations; }

 private:
  using budget = detail::exploration_budget;
  enum class phase : std::uint8_t { settled, trial, recheck };

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // The cost of one iteration, in 1/1024 ticks: a tick is 0.4 ns, and some bodies take less.
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

  // The gain per iteration, by the model.
  [[nodiscard]] double gain_each() const noexcept {
    const double alone = cost_.is_full() ? ticks_each(cost_) : 2 * ticks_each(shared_cost_);
    return alone - (shared_cost_.is_full() ? ticks_each(shared_cost_) : alone / 2);
  }
  [[nodiscard]] double gain_of(double n) const noexcept {
    return n * gain_each() - round_trip_ / 2;
  }
  static std::uint64_t of(const detail::median_of_three& cost, std::uint64_t n) noexcept {
    return cost.is_full() ? rounded(static_cast<double>(n) * ticks_each(cost)) : 0;
  }
  [[nodiscard]] std::uint64_t expected_gain(std::uint64_t n) const noexcept {
    if (is_new()) {
      return 0;
    }
    const auto iterations = static_cast<double>(n);
    return n > always_shared_above() ? rounded(iterations * ticks_each(cost_) / 2)
                                     : rounded(gain_of(iterations));
  }

  // By the model. False if no loop gains.
  bool update_length() noexcept {
    const double margin = ticks_each(cost_) / 64;  // a change must gain this much
    const double gain = gain_each() - margin;
    const bool gains = round_trip_ > 0 && gain > 0;
    share_above(gains ? rounded(round_trip_ / gain) : kNever);
    return gains;
  }

  // The cost of an iteration has been measured again.
  void follow_cost() noexcept {
    is_refused_ ? share_above(kNever) : static_cast<void>(update_length());
  }

  void share_above(std::uint64_t length) noexcept {
    serial_up_to_ = std::min(length, always_shared_above());
  }

  [[nodiscard]] std::uint64_t always_shared_above() const noexcept {
    const bool is_known = shares_long_loops_ && cost_.is_full();
    return is_known ? iterations_in(ticks_of(budget::kAlwaysShared)) : kNever;
  }

  [[nodiscard]] bool may_recheck(std::uint64_t whole) const noexcept {
    return !shares_long_loops_ || whole < to_ticks(budget::kAlwaysShared);
  }

  static double ticks_of(std::chrono::nanoseconds duration) noexcept {
    return static_cast<double>(to_ticks(duration));
  }

  // Adds what `n` iterations took to `cost`. False if the next loop is to be timed too.
  bool add(detail::median_of_three& cost, std::uint64_t took, std::uint64_t n,
           std::uint64_t now) noexcept {
    const bool is_known = budget_.add(cost, each(took, n), now);
    stay_quiet(n);
    return is_known;
  }
  // The same on one thread. What was measured on two holds for iterations like those before.
  bool add_serial(std::uint64_t n, std::uint64_t took, std::uint64_t now) noexcept {
    const std::uint64_t before = cost_.is_full() ? cost_.value() : 0;
    const bool is_known = add(cost_, took, n, now);
    if (before != 0 && !budget::is_about(before, cost_.value())) {
      shared_cost_.clear();
    }
    return is_known;
  }
  [[nodiscard]] std::uint64_t without_round_trip(std::uint64_t whole) const noexcept {
    return whole - std::min(whole / 2, static_cast<std::uint64_t>(round_trip_ / 2));
  }

  void begin(phase next) noexcept {
    phase_ = next;
    budget_.change_sides();
    quiet_iterations_ = 0;
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

  // True if a model that knows only the cost of a serial iteration promises a gain.
  [[nodiscard]] bool is_worth_a_trial(std::uint64_t n, std::uint64_t now) const noexcept {
    const bool is_promising =
        round_trip_ > 0 && static_cast<double>(n) * ticks_each(cost_) > 2 * round_trip_;
    return phase_ == phase::settled && is_promising &&
           budget_.allows_trial(cost_.value(), loss_of(n), now);
  }

  // What sharing such a loop loses, by the model.
  [[nodiscard]] std::uint64_t loss_of(std::uint64_t n) const noexcept {
    return rounded(-gain_of(static_cast<double>(n)));
  }

  // By the costs of both sides.
  void settle(std::uint64_t n, std::uint64_t now) noexcept {
    // Mostly the hand-over, then, which longer loops have only once, too.
    if (round_trip_ == 0 || static_cast<double>(n) * ticks_each(cost_) < 2 * round_trip_) {
      shared_cost_.clear();
    }
    const bool gains = update_length();
    budget_.decide(cost_.value(), shared_cost_.value(), gains ? 0 : loss_of(n),
                   gains == (phase_ == phase::trial), now);
    phase_ = phase::settled;
    if (!gains) {
      share_nothing();
    }
  }

  void share_nothing() noexcept {
    begin(phase::settled);
    is_refused_ = true;
    share_above(kNever);
  }

  // As many iterations as there are calls between looks, if each has `n`.
  void stay_quiet(std::uint64_t n) noexcept {
    const bool on_both = shares(n) && shared_cost_.is_full();
    const std::uint64_t calls =
        budget_.times_next() ? 0 : budget_.calls_to_look(of(on_both ? shared_cost_ : cost_, n));
    quiet_iterations_ = std::min(n, kMostQuietIterations) * calls;
    if (shares_long_loops_) {
      iterations_to_look_ = iterations_in(ticks_of(budget::kQuietTime));
      quiet_iterations_ = std::min(quiet_iterations_, iterations_to_look_);
    }
    budget_.gain(on_both ? calls * expected_gain(n) : 0);
  }

  // No known host hands a task over and back in less (62 ns, EPYC 9004, KVM, at its best).
  static constexpr std::chrono::nanoseconds kShortestOfUse{50};
  static constexpr std::uint64_t kMostQuietIterations = 1 << 20;

  std::uint64_t quiet_iterations_ = 0;
  std::uint64_t iterations_to_look_ = 0;  // kept: loops that run here need no division
  std::uint64_t serial_up_to_ = kNever;
  std::uint64_t calls_ = 0;
  phase phase_ = phase::settled;
  bool is_refused_ = false;
  bool shares_long_loops_ = false;
  double round_trip_ = 0;
  detail::median_of_three cost_;         // of an iteration run here
  detail::median_of_three shared_cost_;  // of an iteration of a shared loop, without the round trip
  budget budget_;
};

}  // namespace fg::inline FINEGRAIN_ABI
