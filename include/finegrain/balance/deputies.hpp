// Lets other workers act for a worker that is away or busy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/balance/absences.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/biased_lock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Which present workers may have deputies, that is other workers that act in their place.
enum class deputised : std::uint8_t {
  caller,    ///< worker 0 only, the caller of `pool::run`
  everybody  ///< all: no task waits for a busy worker while another one idles
};

/// Lets other workers empty the queues of a worker that has left, or that shows no progress.
///
/// A worker that leaves says so (`absences`). But under OpenMP any worker may run a task that
/// itself waits for a task in that worker's queues, and a caller of `pool::run` may wait for
/// anything, while a policy that pushes to all workers in turn leaves every n-th branch with it. So
/// another worker that finds nothing else, and has looked `patience` times without seeing progress,
/// takes that worker's place for one task. A worker that runs something long meanwhile loses tasks
/// by this, which does no harm.
///
/// Each worker that may have deputies has a biased lock and a count of how often it has entered. A
/// worker that is away is not the consumer, whatever the state of the lock: it leaves inside its
/// lock, so no deputy is inside at that time, and a deputy that has entered checks again that the
/// worker is present.
class deputies {
 public:
  static constexpr std::uint32_t kPatience = 1000;

  explicit deputies(std::size_t workers, deputised whom = deputised::caller,
                    std::uint32_t patience = kPatience)
      : absences_{workers},
        owners_(whom == deputised::caller ? 1 : workers),
        watchers_(workers),
        patience_{patience} {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      watchers_[worker].whom = worker + 1 < owners_.size() ? worker + 1 : 0;
    }
  }

  /// Like `absences::leave` and `come_back`. With `deputised::everybody` no worker leaves.
  void leave(std::size_t worker) noexcept {
    if (worker >= owners_.size()) {
      absences_.leave(worker);
      return;
    }
    biased_lock& lock = owners_[worker].lock;
    lock.enter();
    absences_.leave(worker);
    lock.leave();
  }
  void come_back(std::size_t worker) noexcept { absences_.come_back(worker); }

  /// Whether another worker may have to take what is pushed to this one. Any thread.
  [[nodiscard]] bool is_away_guess(std::size_t worker) const noexcept {
    return absences_.is_away_guess(worker);
  }

  /// The workers that are away.
  [[nodiscard]] absences& absent() noexcept { return absences_; }
  [[nodiscard]] const absences& absent() const noexcept { return absences_; }

  /// Runs `section` as the owner of the queues of `worker`; false, without running it, if a deputy
  /// is inside. Not nested. On the worker's own thread.
  // Inlined: as a call it took 15 to 17 instructions more in xqueue_wait and _nowait, whose push
  // and pop together take 196 to 223 (clang 19, x86-64, one and two workers).
  template <class Section>
  FINEGRAIN_ALWAYS_INLINE bool own(std::size_t worker, Section section) noexcept {
    if (worker >= owners_.size()) {
      section();
      return true;
    }
    owner& self = owners_[worker];
    // Relaxed: seeing the count late can only make a deputy act needlessly. One writer.
    self.signs.store(self.signs.load(memory_order_relaxed) + 1, memory_order_relaxed);
    if (!self.lock.try_enter()) {
      return false;
    }
    section();
    self.lock.leave();
    return true;
  }

  /// The task that `take` takes as the owner of the queues of `worker`, null if none: see `own`.
  template <class Take>
  pool_task* take_as_owner(std::size_t worker, Take take) noexcept {
    pool_task* task = nullptr;
    own(worker, [&] { task = take(); });
    return task;
  }

  /// The task that `take(absent)` takes for a worker that is away, or seems to be, and for which
  /// `has_task(absent)`, or null. Called on the worker's own thread when it finds nothing else.
  template <class HasTask, class Take>
  pool_task* take_as_deputy(std::size_t worker, HasTask has_task, Take take) noexcept {
    if (pool_task* const task = absences_.visit_next(worker, has_task, take)) {
      return task;
    }
    watcher& self = watchers_[worker];
    if (self.whom == worker || is_away_guess(self.whom) || !lost_patience(self, worker)) {
      return nullptr;
    }
    const std::size_t absent = self.whom;
    pool_task* task = nullptr;
    if (has_task(absent) && owners_[absent].lock.try_enter_as_deputy()) {
      if (!is_away_guess(absent)) {  // exact: it leaves and comes back outside of this section
        task = take(absent);
      }
      owners_[absent].lock.leave_as_deputy();
    }
    if (task == nullptr) {  // after a task it goes on with the same worker at once
      watch_another(self, worker);
    }
    return task;
  }

  /// Whether `has_task` is true for the worker itself or for one in whose place it may act. Linear.
  template <class HasTask>
  [[nodiscard]] bool any_within_reach(std::size_t worker, HasTask has_task) const noexcept {
    for (std::size_t other = 0; other < watchers_.size(); ++other) {
      if ((other < owners_.size() || is_away_guess(other)) && has_task(other)) {
        return true;
      }
    }
    return has_task(worker);
  }

 private:
  struct alignas(kCacheLineBytes) owner {
    atomic<std::uint64_t> signs{0};
    biased_lock lock;
  };
  struct alignas(kCacheLineBytes) watcher {
    std::size_t whom = 0;  // itself: no worker to watch
    std::uint64_t seen = 0;
    std::uint32_t looks = 0;
  };

  void watch_another(watcher& self, std::size_t worker) noexcept {
    self.looks = 0;
    do {
      self.whom = self.whom + 1 < owners_.size() ? self.whom + 1 : 0;
    } while (self.whom == worker && owners_.size() > 1);
    self.seen = owners_[self.whom].signs.load(memory_order_relaxed);  // as in lost_patience
  }

  bool lost_patience(watcher& self, std::size_t worker) noexcept {
    // Relaxed: seeing the count late can only make a deputy act needlessly.
    const std::uint64_t signs = owners_[self.whom].signs.load(memory_order_relaxed);
    if (signs != self.seen) {
      watch_another(self, worker);
      return false;
    }
    if (self.looks < patience_) {
      ++self.looks;
      return false;
    }
    return true;
  }

  absences absences_;
  std::vector<owner> owners_;
  std::vector<watcher> watchers_;
  std::uint32_t patience_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
