// Where idle workers sleep, and how they are woken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "finegrain/wait/sleep_gate.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A gate a worker, and how many sleep, so that those who publish work pay one load while nobody
/// does.
///
/// ## Protocol
///
///     publisher                           worker
///     P1 publish a task, or a completion  S1 count itself
///     P2 light fence                      S2 enter its gate: heavy fence, then a last look
///     P3 somebody counted? then wake      S3 sleep; uncount itself
///
/// The last look misses P1, or P3 misses S1, but not both (asymmetric_fence.hpp). Which sleeper is
/// woken does not matter for work that everybody can take: the woken one looks everywhere and wakes
/// the next if it finds more than it takes.
///
/// S1 and P3 are sequentially consistent for those whose sleepers also leave word elsewhere, in
/// `announce`: whoever has taken the word, in the same one order, and looks then, sees S1
/// (private_deque).
///
/// All functions: any thread, unless they say more. No locks.
class idle_workers {
 public:
  explicit idle_workers(std::size_t workers) : idle_workers{workers, workers} {}

  /// Of `workers`, only those numbered below `in_use` exist yet: see `use_number`.
  idle_workers(std::size_t workers, std::size_t in_use)
      : workers_{workers}, in_use_{in_use}, sleepers_{new sleeper[workers]} {}

  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }

  /// The workers numbered below have existed so far; the others have never pushed, nor asked for, a
  /// task, nor slept. So nobody has to look for them. Never falls.
  [[nodiscard]] std::size_t numbers_in_use() const noexcept {
    // Relaxed: it grows ahead of what a new worker publishes, which whoever does not see it looks
    // for again before it sleeps, behind its heavy fence (S2).
    return in_use_.load(memory_order_relaxed);
  }

  /// Worker `worker` exists from now on. On its own thread, before anything else that it does here
  /// or in a balancing policy. Requires: worker < workers().
  void use_number(std::size_t worker) noexcept {
    std::size_t before = numbers_in_use();
    // Relaxed: as above.
    while (before <= worker &&
           !in_use_.compare_exchange_weak(before, worker + 1, memory_order_relaxed)) {
    }
  }

  /// P2 and P3: true when somebody sleeps or is about to, so that what was published before has to
  /// be followed by `wake_one` or `wake`.
  [[nodiscard]] bool any_after_publishing() const noexcept {
    if (asymmetric_) {
      asymmetric_fence::light_fence();
    } else {
      asymmetric_fence::full_fence();
    }
    // P3, behind S1 by the fences, or in one order with it.
    return asleep_.load(memory_order_seq_cst) != 0;
  }

  /// True when somebody sleeps, or did a moment ago.
  [[nodiscard]] bool any_guess() const noexcept {
    return asleep_.load(memory_order_relaxed) != 0;  // relaxed: a guess, which orders nothing
  }

  /// Wakes one sleeper, if there is one. A system call then (9 us, EPYC 9004, KVM).
  void wake_one() noexcept {
    wake_first([](const sleeper& /*each*/) { return true; });
  }

  /// The same among those who take tasks of `region`.
  void wake_one_for(region_id region) noexcept {
    wake_first([region](const sleeper& each) {
      const region_id only = each.takes_only.load(memory_order_relaxed);  // as in wake_waiting
      return only == kAnyRegion || only == region;
    });
  }

  /// The same among those who do not wait for something to finish: for work that only they take.
  void wake_one_that_does_not_wait() noexcept {
    // Relaxed: as in wake_waiting.
    wake_first([](const sleeper& each) { return !each.waits.load(memory_order_relaxed); });
  }

  /// Wakes this worker if it sleeps.
  void wake(std::size_t worker) noexcept { sleepers_[worker].gate.wake_sleeper(); }

  void wake_all() noexcept {
    for (std::size_t worker = 0; worker < numbers_in_use(); ++worker) {
      wake(worker);
    }
  }

  /// Wakes those who wait for something to finish: they can not know which completion is theirs.
  void wake_waiting() noexcept {
    for (std::size_t worker = 0; worker < numbers_in_use(); ++worker) {
      // Relaxed: set before the sleeper's heavy fence, read behind the light one.
      if (sleepers_[worker].waits.load(memory_order_relaxed)) {
        wake(worker);
      }
    }
  }

  /// Sleeps until woken, unless `found_work()` after the announcement. `waits`: also for a
  /// completion. On the worker's own thread only.
  template <class FoundWork>
  void sleep(std::size_t worker, bool waits, FoundWork found_work) noexcept {
    sleep(worker, waits, [] {}, found_work);
  }

  /// The same of a worker that takes tasks of this region only: see `wake_one_for`.
  template <class FoundWork>
  void sleep_in_region(region_id region, std::size_t worker, bool waits,
                       FoundWork found_work) noexcept {
    // Relaxed: before S2's heavy fence, read behind the light one.
    sleepers_[worker].takes_only.store(region, memory_order_relaxed);
    sleep(worker, waits, found_work);
  }

  /// The same, with something to do between S1 and S2's heavy fence.
  template <class Announce, class FoundWork>
  void sleep(std::size_t worker, bool waits, Announce announce, FoundWork found_work) noexcept {
    sleeper& own = sleepers_[worker];
    // Relaxed: before S2's heavy fence; see wake_waiting.
    own.waits.store(waits, memory_order_relaxed);
    asleep_.fetch_add(1, memory_order_seq_cst);  // S1, in one order with P3
    announce();
    own.gate.sleep_unless(found_work);
    asleep_.fetch_sub(1, memory_order_relaxed);  // seen late, it costs a needless wake-up
  }

 private:
  struct alignas(kCacheLineBytes) sleeper {
    sleep_gate gate;
    atomic<bool> waits{false};
    atomic<region_id> takes_only{kAnyRegion};
  };

  // The first sleeper that may be woken. What a sleeper is, it says before S1. So whoever sees it
  // asleep, behind P2, sees that too, or it will see what was published; and once it is woken the
  // look at it is made again: by an exchange that acquires what it said before this very sleep, and
  // has not taken back. One that was woken by mistake looks around and sleeps again.
  template <class MayWake>
  void wake_first(MayWake may_wake) noexcept {
    // Relaxed: it spreads the wake-ups over the workers; any value does.
    const std::size_t first = next_.fetch_add(1, memory_order_relaxed);
    const std::size_t workers = numbers_in_use();
    for (std::size_t i = 0; i < workers; ++i) {
      sleeper& each = sleepers_[(first + i) % workers];
      if (may_wake(each) && each.gate.wake_sleeper() && may_wake(each)) {
        return;
      }
    }
  }

  bool asymmetric_ = asymmetric_fence::available();
  std::size_t workers_;
  atomic<std::size_t> in_use_;
  std::unique_ptr<sleeper[]> sleepers_;
  alignas(kCacheLineBytes) atomic<std::uint32_t> asleep_{0};
  atomic<std::size_t> next_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
