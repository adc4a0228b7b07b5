// A region of one thread that is opened again and again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hot_team.hpp"

namespace fg::omp::runtime {

/// Most bodies leave nothing behind in their region: no task, no control variable. The next time that
/// such a region is opened only its surroundings are written, not all of its 800 bytes.
///
/// Used by one thread.
class kept_region {
 public:
  kept_region() noexcept;

  /// False within itself: its body has opened it, too.
  [[nodiscard]] bool is_free() const noexcept { return !is_open_; }

  /// Requires: it is free. `around`: the thread's part of the region around.
  void open(thread& self, implicit_part& around) noexcept {
    is_open_ = true;
    if (!made_) [[unlikely]] {
      make(self);
      return;
    }
    around.wanted_binding = 0;
    made_->lie_in(around);
    made_->tasks_before = self.tasks;
    self.enter_again(*made_);
  }
  /// Requires: it is the innermost.
  void close(thread& self) noexcept {
    if (is_untouched(self)) [[likely]] {
      self.throttling.start_afresh(self.tasks);
      self.leave_untouched();
    } else {
      unmake(self);
    }
    is_open_ = false;
  }

 private:
  void make(thread& self) noexcept;
  void unmake(thread& self) noexcept;
  // Whether the body has left it as it was. What loops, singles and reductions leave is as good as new
  // for one thread.
  [[nodiscard]] bool is_untouched(const thread& self) const noexcept {
    const implicit_part& part = made_->part;
    return keeps_ && self.tasks == made_->tasks_before && made_->is_untouched() &&
           self.listed.size() == made_->implicit.listed_below && made_->own_region.is_untouched() &&
           part.values == nullptr && part.wanted_threads == 0 && part.wanted_binding == 0 &&
           part.wanted_teams == 0 && part.wanted_team_limit == 0;
  }

  const bool keeps_;  // nothing but `serial_region` has to be told of each region
  bool is_open_ = false;
  std::optional<serial_region> made_;
};

}  // namespace fg::omp::runtime
