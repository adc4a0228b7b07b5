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
///
/// Not synchronized: each thread has its own. May allocate.
class team_sizes {
 public:
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
    for (team_step& each : steps_) {
      const bool had_its_size = each.is_wide();
      each.timed(took, now);
      if (had_its_size) {
        return;
      }
    }
  }

  /// True if it is decided that fewer threads are better than all.
  [[nodiscard]] bool is_smaller() const noexcept {
    return steps_.front().is_decided() && !steps_.front().is_wide();
  }

 private:
  // From the first step on that is not quiet.
  [[gnu::noinline]] choice choose_and_measure(team_step& first) noexcept {
    if (is_in_timed_) {
      return {chosen()};
    }
    const auto begin = steps_.begin() + (&first - steps_.data());
    for (auto each = begin; each != steps_.end(); ++each) {
      if (each == begin || !each->is_quiet()) {
        is_in_timed_ = each->look(ticks()) || is_in_timed_;
      }
      // While a step is tried, those below it stay as they are, to be compared with.
      if (each->is_wide() || !each->is_decided()) {
        return {chosen(), is_in_timed_};
      }
    }
    return {1, is_in_timed_};
  }

  std::vector<team_step> steps_;
  bool is_in_timed_ = false;
};

}  // namespace fg::omp::runtime
