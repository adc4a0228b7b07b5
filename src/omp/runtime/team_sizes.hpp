// How many of the threads that a region may have are worth it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "finegrain/core/clock.hpp"
#include "team_step.hpp"

namespace fg::omp::runtime {

/// What one thread knows about a region that it opens with up to so many threads, and what it
/// decides: how many it gets, by what it takes with all, a half, a quarter... and one of them.
///
/// Each step from a number to its half has a controller of its own (team_step.hpp). It compares the
/// wider team with what is decided below it, and asks the next step when it prefers that. A region
/// begins with all threads, as the program asks; a step down is tried when there has been time for
/// it. So a region of a second is tried with fewer threads after minutes, an empty one after 2 ms.
/// Where a half loses, the next trial is of one thread: beside another program's threads, two can take
/// longer than four, and four ten thousand times longer than one.
///
/// Not synchronized: each thread has its own. May allocate.
class team_sizes {
 public:
  team_sizes(const team_sizes&) = delete;
  team_sizes& operator=(const team_sizes&) = delete;
  /// `most`: threads, more than one.
  explicit team_sizes(unsigned most) {
    const std::uint64_t now = ticks();
    for (; most > 1; most /= 2) {
      steps_.emplace_back(most, now);
    }
  }

  struct choice {
    unsigned size = 1;
    bool is_timed = false;  ///< whether `timed` is to be called at its end
  };

  /// A region begins: how many threads it gets. May read the clock. A region that begins within one
  /// that is timed is part of what that one takes.
  [[nodiscard]] choice choose() noexcept {
    for (team_step& each : steps_) {
      if (!each.is_quiet()) [[unlikely]] {
        return choose_and_measure(each);
      }
      if (each.is_wide()) {
        return {each.size()};
      }
    }
    return {};
  }

  /// The same again, without measuring anything.
  [[nodiscard]] unsigned chosen() const noexcept {
    for (const team_step& each : steps_) {
      if (each.is_wide()) {
        return each.size();
      }
    }
    return 1;
  }

  /// The region took so long. `now`: the current time. Requires: it was chosen to be timed.
  void timed(std::uint64_t took, std::uint64_t now) noexcept {
    is_in_timed_ = false;
    if (tried_ != nullptr) {
      tried_->timed(took, now);
      end_trial();
      return;
    }
    for (team_step& each : steps_) {
      const bool had_its_size = each.is_wide();
      each.timed(took, now);
      if (!each.is_decided()) {
        tried_ = &each;
      }
      if (had_its_size || tried_ != nullptr) {
        return;
      }
    }
  }

  /// True if it is decided that fewer threads are better than all.
  [[nodiscard]] bool is_smaller() const noexcept {
    return steps_.front().is_decided() && !steps_.front().is_wide();
  }

 private:
  void end_trial() noexcept {
    if (!tried_->is_decided()) {
      return;
    }
    if (tried_->is_wide()) {  // a half has lost, or one thread: the next trial is of the other
      for (team_step* each = tried_ + 1; each != steps_.data() + steps_.size(); ++each) {
        each->assume_other();
      }
    }
    tried_ = nullptr;
  }

  // From the first step on that is not quiet.
  [[gnu::noinline]] choice choose_and_measure(team_step& first) noexcept {
    if (is_in_timed_) {
      return {chosen()};
    }
    if (tried_ != nullptr) {  // it may not be the first one
      is_in_timed_ = tried_->look(ticks());
      return {chosen(), is_in_timed_};
    }
    const auto begin = steps_.begin() + (&first - steps_.data());
    for (auto each = begin; each != steps_.end(); ++each) {
      if (each == begin || !each->is_quiet()) {
        is_in_timed_ = each->look(ticks()) || is_in_timed_;
      }
      if (!each->is_decided()) {
        tried_ = &*each;
      }
      if (each->is_wide() || tried_ != nullptr) {
        return {chosen(), is_in_timed_};
      }
    }
    return {1, is_in_timed_};
  }

  std::vector<team_step> steps_;
  // Null if none. No other step looks or is told of times meanwhile: those below stay as they are, to
  // be compared with, and what is tried here says nothing to those above.
  team_step* tried_ = nullptr;
  bool is_in_timed_ = false;
};

}  // namespace fg::omp::runtime
