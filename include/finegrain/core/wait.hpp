// How a thread waits for another one.
#pragma once

#include <chrono>
#include <thread>

#include "finegrain/core/pause.hpp"

namespace fg {

/// Busy-waiting as in the Relic paper (section VI.B): pause between two looks, and never sleep.
///
/// One object serves one wait. After `kYieldAfter` without success it offers the CPU to another
/// runnable thread, and again after each further `kYieldAfter`: without that, two threads that
/// share one CPU would each spin away the other's time slice. The budget is time, not iterations,
/// because a pause takes between 10 and 140 cycles depending on the processor.
class spin_wait {
 public:
  /// Lets a short moment pass. Never blocks; yields the CPU at most once per `kYieldAfter`.
  void operator()() noexcept {
    pause();
    if (++pauses_ % kPausesPerClockRead == 0) [[unlikely]] {
      yield_if_over_budget();
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  // Longer than any task that finegrain is made for (0.1-10 us), so a wait for one does not leave
  // user space; short enough that a hand-off between two threads on one CPU costs two budgets,
  // 40 us. An idle thread loses 0.5 us a yield to the system call, 2 % of its polls (EPYC 9004,
  // KVM).
  static constexpr std::chrono::microseconds kYieldAfter{20};
  // 64 pauses are 1.6 us and a clock read is 24 ns (EPYC 9004, KVM).
  static constexpr unsigned kPausesPerClockRead = 64;

  void yield_if_over_budget() noexcept {
    const clock::time_point now = clock::now();
    if (since_ == clock::time_point{}) {
      since_ = now;
    } else if (now - since_ >= kYieldAfter) {
      std::this_thread::yield();
      since_ = clock::now();
    }
  }

  unsigned pauses_ = 0;
  clock::time_point since_;  // the epoch until the first clock read
};

}  // namespace fg
