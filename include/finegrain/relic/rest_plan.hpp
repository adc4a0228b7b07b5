// How long an assistant without work looks for some, and how long it sleeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "finegrain/controller/rhythm.hpp"
#include "finegrain/controller/spin_budget.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/relic/arrival_log.hpp"
#include "finegrain/relic/relic_options.hpp"
#include "finegrain/wait/futex.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What an assistant with a policy that sleeps by itself knows about its pauses, from the end of its
/// latest task to the arrival of the next one, and what it does with it:
///
/// * It *looks* for as long as its earlier pauses suggest (controller/spin_budget.hpp).
/// * It *sleeps* until it is woken, or, if its work comes in periods, until just before the next
///   arrival is due (controller/rhythm.hpp), and looks then until that is overdue.
/// * It *dozes*, looking each `kDoze`, while the main thread says that it does not wake it
///   (wake_up_value.hpp), for up to `kDozesFor` after the latest arrival.
///
/// For the assistant, except where said. Times in ticks.
class rest_plan {
 public:
  using ns = std::chrono::nanoseconds;

  /// How long a dozing assistant sleeps at most before it looks again.
  static constexpr std::chrono::microseconds kDoze{2000};

  explicit rest_plan(const relic_options& options) noexcept
      : price_{budget_ticks(options.spin_budget)},
        budget_{price_},
        rhythm_{options.anticipation_share} {}

  // ---- a pause, from its first clock read to its end ----

  [[nodiscard]] bool is_pause() const noexcept { return pause_began_ != 0; }

  /// No task since `now`.
  void begin_pause(std::uint64_t now) noexcept {
    learn();
    pause_began_ = now;
    awake_since_ = 0;
    looks_until_ = now + budget_.ticks();
    const std::uint64_t next = rhythm_.next_wake_up(now);
    if (next != 0 && next <= looks_until_ + to_ticks(kShortestSleep)) {
      looks_until_ = std::max(looks_until_, rhythm_.overdue_at(next));
    }
  }

  /// A task has arrived, not later than `now`.
  void end_pause(std::uint64_t now) noexcept {
    if (!was_woken_) {  // otherwise the main thread has said when
      came_after_ = std::max<std::uint64_t>(now - pause_began_, 1);
      came_at_ = now;
      if (awake_since_ != 0) {
        rhythm_.woke_early(now - awake_since_, now);
      }
    }
    was_woken_ = false;
    pause_began_ = 0;
  }

  [[nodiscard]] bool has_looked_enough(std::uint64_t now) noexcept {
    if (looks_until_ == 0) {
      looks_until_ = now + price_;
    }
    return now >= looks_until_;
  }

  // ---- sleep ----

  /// Woken by the main thread, which may have a task soon: it looks for one as if it knew nothing.
  void was_woken() noexcept {
    was_woken_ = true;
    looks_until_ = 0;
  }

  /// How long to sleep; zero: until woken.
  [[nodiscard]] ns sleep_for(std::uint64_t now) noexcept {
    if (!futex::kSleepsForATime) {
      return ns{0};
    }
    learn();
    if (awake_since_ != 0) {
      rhythm_.woke_in_vain(now - std::exchange(awake_since_, 0), now);
    }
    due_ = rhythm_.next_wake_up(now);
    std::uint64_t until = due_;
    // Relaxed: a hint.
    if (until == 0 && is_left_asleep_.load(memory_order_relaxed) &&
        now - std::max(last_, pause_began_) < to_ticks(kDozesFor)) {
      until = now + to_ticks(kDoze);
    }
    // Relaxed: the gate's S1 releases it; later in the same doze it is at most `kDoze` later.
    wakes_at_.store(until, memory_order_relaxed);
    return until == 0 ? ns{0} : std::max(ns{1}, ns{static_cast<std::int64_t>(to_ns(until - now))});
  }

  /// How long to doze on when the timer has expired while the main thread has the role.
  [[nodiscard]] ns doze_again(std::uint64_t now) noexcept {
    wakes_at_.store(now + doze_, memory_order_relaxed);  // relaxed: at most `kDoze` later
    return kDoze;
  }

  /// The timer has expired. True if it is time to look for a task that is due.
  [[nodiscard]] bool expects_task(std::uint64_t now) noexcept {
    if (due_ == 0 || now < due_) {
      return false;
    }
    const std::uint64_t due = std::exchange(due_, 0);
    if (learn()) {
      rhythm_.woke_late(std::min(now - last_, to_ticks(kShortestPause)));
      return false;
    }
    awake_since_ = now;
    looks_until_ = rhythm_.overdue_at(due);
    // Relaxed: a counter of one writer.
    early_wake_ups_.store(early_wake_ups() + 1, memory_order_relaxed);
    return true;
  }

  // ---- main thread ----

  /// It had a task at `now` while the assistant slept, the first one for some time.
  void came_during_sleep(std::uint64_t now) noexcept { arrivals_.add(now); }

  /// Whether it leaves the assistant asleep.
  // Relaxed: a hint.
  void leave_asleep(bool yes) noexcept { is_left_asleep_.store(yes, memory_order_relaxed); }

  /// True if a dozing assistant looks by itself before a wake-up would help: before that has reached
  /// it or, if wake-ups are in vain, at some time soon. Requires: it was seen dozing.
  [[nodiscard]] bool looks_soon(std::uint64_t now, bool in_vain) const noexcept {
    // Relaxed: sleep_gate::look_at_sleeper has acquired it.
    return wakes_at_.load(memory_order_relaxed) <= now + (in_vain ? doze_ : wake_up_);
  }

  // ---- any thread: what it has learned and done ----

  // Relaxed: a number of one writer, which publishes nothing.
  [[nodiscard]] std::uint64_t early_wake_ups() const noexcept {
    return early_wake_ups_.load(memory_order_relaxed);
  }
  // Relaxed: the same.
  [[nodiscard]] std::uint64_t period() const noexcept { return period_.load(memory_order_relaxed); }

 private:
  // Shorter ones are within a period's work.
  static constexpr std::chrono::microseconds kShortestPause{100};
  // A sleep and a wake-up by the timer take about as long (EPYC 9004, KVM, Linux 6.18: a timer is 20
  // to 60 us late), and so does one by the main thread (31 to 90 us).
  static constexpr std::chrono::microseconds kShortestSleep{50};
  static constexpr std::chrono::microseconds kWakeUp{50};
  // Long enough for ten ticks a second; then a forgotten relic costs nothing. A look costs the
  // assistant's CPU 20 to 40 us (same machine): 1 to 2 % meanwhile.
  static constexpr std::chrono::milliseconds kDozesFor{1000};

  // Whether something has come since it was last asked.
  bool learn() noexcept {
    bool came = false;
    if (came_after_ != 0) {
      came = true;
      learn(came_after_, came_at_);
      came_after_ = 0;
    }
    arrivals_.take([&](std::uint64_t at) {
      came = true;
      learn(at - std::min(at, std::max(last_, pause_began_)), at);
    });
    return came;
  }

  void learn(std::uint64_t pause, std::uint64_t at) noexcept {
    if (at <= last_) {
      return;
    }
    last_ = at;
    budget_.add(pause);
    if (pause >= to_ticks(kShortestPause)) {
      rhythm_.arrived(at);
      period_.store(rhythm_.period(), memory_order_relaxed);  // relaxed: a number of one writer
    }
  }

  std::uint64_t price_;
  spin_budget budget_;
  rhythm rhythm_;
  std::uint64_t pause_began_ = 0;  // 0: there is a task
  std::uint64_t came_after_ = 0;   // how long the pause was that a task has ended; 0: known already
  std::uint64_t came_at_ = 0;
  std::uint64_t last_ = 0;  // arrival
  std::uint64_t looks_until_ = 0;
  std::uint64_t awake_since_ = 0;  // for an arrival that is due; 0: it is not
  bool was_woken_ = false;         // in this pause
  std::uint64_t due_ = 0;          // when it wakes by itself for the next arrival; 0: it does not

  arrival_log arrivals_;
  std::uint64_t doze_ = to_ticks(kDoze);
  std::uint64_t wake_up_ = to_ticks(kWakeUp);
  alignas(kCacheLineBytes) atomic<bool> is_left_asleep_{false};
  atomic<std::uint64_t> wakes_at_{0};
  atomic<std::uint64_t> early_wake_ups_{0};
  atomic<std::uint64_t> period_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
