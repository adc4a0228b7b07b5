// Throttling: decides when a thread's new tasks run immediately instead of being shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::omp {

/// Per-thread controller that decides whether a new task is shared or runs immediately.
///
/// OMPi's throttling (ompi-tasking-2012, section 2.1): a thread with many pending tasks, which have
/// not begun or are with other threads, runs new ones immediately until 30 % of the room is free
/// again. Ours continues as long as that takes less time than sharing. A task that another thread
/// runs costs its creator the transfer of its cache lines there and back: a flat loop of empty
/// tasks takes 60 to 95 ns per task with that, 15 without (2 CPUs of a Xeon, model 207, floor 126
/// ns; GNU's runtime, which only counts the tasks, 12 to 18). Where tasks are worth sharing, a
/// thief that finds none ends the throttling.
///
/// ## States
///
///     fresh     checked when `kMostPending` seem to be pending
///               -> running, if so many have been created since, else sharing
///     sharing   checked when as many are pending again
///               -> running, if they are, or if running takes less time
///     running   in steps of 1 to `kLongestStep` tasks, each followed by a check (`look`)
///               -> sharing, if enough is done and sharing takes less time; also from time to time,
///               to measure that again
///     each      when the thread waits or continues with another task         -> fresh
///
/// Both times are per task, from one check to the next, including what the program does between two
/// tasks. Each is the minimum seen, growing slowly: nothing makes a measurement too short, any
/// interruption makes it too long.
///
/// Owner thread only.
class throttle {
 public:
  /// The same as in the pool's task_blocks, for the same reason: they fit into a first-level cache.
  static constexpr std::uint64_t kMostPending = 256;
  static constexpr std::uint64_t kRelievedAtPending = kMostPending * 7 / 10;

  /// `enabled` false: all tasks are shared.
  explicit throttle(bool enabled) noexcept : asked_from_{enabled ? kMostPending : kNever} {}

  /// False: with so many pending, the next task is shared. True: call `is_amid_step` and `look`.
  [[nodiscard]] bool may_run(std::uint64_t pending) const noexcept {
    return pending >= asked_from_;
  }

  /// True: the next task runs immediately, as part of a step.
  bool is_amid_step() noexcept {
    if (left_ == 0) {
      return false;
    }
    --left_;
    return true;
  }

  /// What the thread knows when it looks.
  struct sight {
    std::uint64_t now;   ///< ticks
    std::uint64_t made;  ///< tasks that it has created so far
    bool was_asked;      ///< another thread has looked for its tasks and found none
  };
  /// Number of pending tasks. Counting them may take time; `now` is the time at its end.
  struct count {
    std::uint64_t pending;
    std::uint64_t now;
  };

  /// True: the next task runs immediately. `count_pending`, which returns a `count`, is called only
  /// if the answer depends on it.
  template <class CountPending>
  bool look(const sight& seen, CountPending count_pending) noexcept {
    return is_running() ? look_running(seen, count_pending) : look_sharing(seen, count_pending);
  }

  /// Called when the thread has waited, even if it found nothing, or continues with another task:
  /// the tasks it creates after that may be of another kind, and are shared at first. The program
  /// may even wait for another thread to run them, as it would not for the next task of a loop.
  ///
  /// `made`: tasks that the thread has created so far.
  void start_afresh(std::uint64_t made) noexcept {
    if (!is_fresh()) {
      share({}, kMostPending);
    }
    made_before_ = made;
  }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // Tasks before the next check; each of them may turn out to be long. Not tuned.
  static constexpr std::uint32_t kLongestStep = 16;
  // Steps before sharing is tried again; the number grows each time it was slower. A trial of 32
  // tasks takes as long as 15 steps of empty ones. Not tuned.
  static constexpr std::uint32_t kFewestSteps = 64;
  static constexpr std::uint32_t kMostSteps = 1024;
  static constexpr std::uint64_t kTried = 32;
  // Tasks that take longer than this are shared, whatever sharing seemed to cost: that measurement
  // may have been interrupted. Ten times the cost above.
  static constexpr double kLongNs = 1000;

  [[nodiscard]] bool is_running() const noexcept { return asked_from_ == 0; }
  [[nodiscard]] bool is_fresh() const noexcept { return since_ == 0; }
  [[nodiscard]] bool runs_faster() const noexcept { return running_ticks_ < sharing_ticks_; }

  template <class CountPending>
  bool look_running(const sight& seen, CountPending count_pending) noexcept {
    const bool is_long = measure_running(seen);
    if (runs_faster() && steps_left_ > 0) {
      --steps_left_;
      return run(seen.now, is_long ? 1 : 2 * step_);
    }
    const auto [pending, now] = count_pending();
    if (pending > kRelievedAtPending && (runs_faster() || !seen.was_asked)) {
      return run(now, 2 * step_);
    }
    if (runs_faster()) {
      steps_ = std::min(2 * steps_, kMostSteps);
      return share(seen, pending + kTried);
    }
    steps_ = kFewestSteps;
    return share(seen, std::max(kMostPending, pending + kTried));
  }

  template <class CountPending>
  bool look_sharing(const sight& seen, CountPending count_pending) noexcept {
    const bool was_fresh = is_fresh();
    const std::uint64_t made_since = seen.made - made_before_;
    measure_sharing(seen);
    const auto [counted, now] = count_pending();
    // Some of the tasks created before the wait may be done without the thread knowing yet.
    const std::uint64_t pending = was_fresh ? std::min(counted, made_since) : counted;
    if (pending > kRelievedAtPending || (runs_faster() && !was_fresh)) {
      steps_left_ = steps_;
      return run(now, 1);
    }
    running_ticks_ *= 7.0 / 8;  // tasks may have become shorter: eventually running is tried
    return share(seen, std::max(kMostPending, counted + kTried));
  }

  // Returns true if the tasks of the step were long.
  bool measure_running(const sight& seen) noexcept {
    const double taken = static_cast<double>(seen.now - since_) / step_;
    const bool is_long = taken > long_ticks();
    // After a check the first tasks wait for lines that other threads have had: the first takes 130
    // ns, the others 15.
    if (is_long || step_ == kLongestStep) {
      running_ticks_ = std::min(taken, running_ticks_ * (is_long ? 2 : kGrowth));
    }
    return is_long;
  }

  void measure_sharing(const sight& seen) noexcept {
    if (!is_fresh() && seen.made != made_before_) {
      const double taken =
          static_cast<double>(seen.now - since_) / static_cast<double>(seen.made - made_before_);
      sharing_ticks_ = std::min({taken, sharing_ticks_ * kGrowth, long_ticks()});
    }
  }

  bool run(std::uint64_t now, std::uint32_t step) noexcept {
    asked_from_ = 0;
    since_ = now;
    step_ = std::min(step, kLongestStep);
    left_ = step_ - 1;
    return true;
  }

  bool share(const sight& seen, std::uint64_t asked_from) noexcept {
    asked_from_ = asked_from;
    left_ = 0;
    since_ = seen.now;
    made_before_ = seen.made;
    return false;
  }

  static constexpr double kGrowth = 9.0 / 8;
  static double long_ticks() noexcept { return kLongNs * ticks_per_ns(); }

  std::uint64_t asked_from_;  // pending tasks; 0: running
  std::uint32_t left_ = 0;    // of the step, after the current task
  std::uint32_t step_ = 1;
  std::uint32_t steps_ = kFewestSteps;
  std::uint32_t steps_left_ = 0;
  std::uint64_t since_ = 0;  // start of the step, or of sharing; 0: fresh
  std::uint64_t made_before_ = 0;
  // Per task. The initial values make a thread try both.
  double running_ticks_ = long_ticks() / 32;
  double sharing_ticks_ = long_ticks();
};

}  // namespace fg::omp
