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

/// One sleep gate per worker, and a count of sleepers: while no worker sleeps, publishing work
/// costs one load.
///
/// ## Protocol
///
///     publisher                           worker
///     P1 publish a task, or a completion  S1 count itself
///     P2 light fence                      S2 enter its gate: heavy fence, then a last look
///     P3 any counted? then wake one       S3 sleep; uncount itself
///
/// The last look misses P1, or P3 misses S1, but not both (asymmetric_fence.hpp). For work that all
/// workers can take it does not matter which sleeper is woken: the woken one looks everywhere and
/// wakes the next if it finds more than it takes.
///
/// The count also tells how many of the sleepers wait for a completion: while there are none, a
/// completion looks at no sleeper, though others may sleep because there is too little work.
///
/// S1 and P3 are sequentially consistent for users whose sleepers also store a request elsewhere,
/// in `announce`: a thread that has taken that request, in the same total order, and then looks,
/// sees S1 (private_deque).
///
/// All functions may be called by any thread, unless stated otherwise. No locks.
class idle_workers {
 public:
  explicit idle_workers(std::size_t workers) : idle_workers{workers, workers} {}

  /// Only the first `in_use` of `workers` exist yet: see `use_number`.
  idle_workers(std::size_t workers, std::size_t in_use)
      : workers_{workers}, in_use_{in_use}, sleepers_{new sleeper[workers]} {}

  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }

  /// The workers with a lower number have existed so far. The others have never pushed a task,
  /// asked for one, or slept, so no thread has to look for them. Never falls.
  [[nodiscard]] std::size_t numbers_in_use() const noexcept {
    // Relaxed: it grows before a new worker publishes anything. A thread that misses the growth
    // looks again before it sleeps, after its heavy fence (S2).
    return in_use_.load(memory_order_relaxed);
  }

  /// Declares that worker `worker` exists from now on. On its own thread, before anything else that
  /// it does here or in a balancing policy. Requires: worker < workers().
  void use_number(std::size_t worker) noexcept {
    std::size_t before = numbers_in_use();
    // Relaxed: as above.
    while (before <= worker &&
           !in_use_.compare_exchange_weak(before, worker + 1, memory_order_relaxed)) {
    }
  }

  /// P2 and P3: true if a worker sleeps or is about to: then `wake_one` or `wake` has to follow.
  [[nodiscard]] bool any_after_publishing() const noexcept {
    if (asymmetric_) {
      asymmetric_fence::light_fence();
    } else {
      asymmetric_fence::full_fence();
    }
    // P3, after S1 by the fences, or in one total order with it.
    return asleep_.load(memory_order_seq_cst) != 0;
  }

  /// The number of workers that sleep, or did a moment ago.
  [[nodiscard]] std::size_t asleep_guess() const noexcept {
    return static_cast<std::uint32_t>(asleep_.load(memory_order_relaxed));  // relaxed: a guess
  }

  /// True if a worker sleeps, or did a moment ago.
  [[nodiscard]] bool any_guess() const noexcept { return asleep_guess() != 0; }

  /// Wakes one sleeper, if there is one; that takes a system call (9 us, EPYC 9004, KVM).
  void wake_one() noexcept {
    wake_first([](const sleeper& /*each*/) { return true; });
  }

  /// The same among the sleepers that take tasks of `region`.
  void wake_one_for(region_id region) noexcept {
    wake_first([region](const sleeper& each) {
      const region_id only = each.takes_only.load(memory_order_relaxed);  // as in wake_waiting
      return only == kAnyRegion || only == region;
    });
  }

  /// The same among the sleepers that do not wait for a completion: for work that only these take.
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

  /// Wakes all sleepers that wait for a completion: they cannot know which completion is theirs.
  /// Constant time if there are none. Requires: `any_after_publishing` since the completion.
  void wake_waiting() noexcept {
    // Relaxed: P3 has read the same word, after the fences, so this reads no older count.
    if (asleep_.load(memory_order_relaxed) < kOneWaits) {
      return;
    }
    for (std::size_t worker = 0; worker < numbers_in_use(); ++worker) {
      // Relaxed: set before the sleeper's heavy fence, read after the light one.
      if (sleepers_[worker].waits.load(memory_order_relaxed)) {
        wake(worker);
      }
    }
  }

  /// Sleeps until woken, unless `found_work()` after the announcement. `waits`: whether it also
  /// waits for a completion. True if it slept. On the worker's own thread only.
  template <class FoundWork>
  bool sleep(std::size_t worker, bool waits, FoundWork found_work) noexcept {
    return sleep(worker, waits, [] {}, found_work);
  }

  /// The same for a worker that takes tasks of this region only: see `wake_one_for`.
  template <class FoundWork>
  bool sleep_in_region(region_id region, std::size_t worker, bool waits,
                       FoundWork found_work) noexcept {
    // Relaxed: before S2's heavy fence, read after the light one.
    sleepers_[worker].takes_only.store(region, memory_order_relaxed);
    return sleep(worker, waits, found_work);
  }

  /// The same, with `announce()` between S1 and S2's heavy fence.
  template <class Announce, class FoundWork>
  bool sleep(std::size_t worker, bool waits, Announce announce, FoundWork found_work) noexcept {
    sleeper& own = sleepers_[worker];
    // Relaxed: before S2's heavy fence; see wake_waiting.
    own.waits.store(waits, memory_order_relaxed);
    const std::uint64_t one = waits ? kOneWaits + 1 : 1;
    asleep_.fetch_add(one, memory_order_seq_cst);  // S1, in one total order with P3
    announce();
    const bool slept = own.gate.sleep_unless(found_work);
    asleep_.fetch_sub(one, memory_order_relaxed);  // seen late, it costs a needless wake-up
    return slept;
  }

 private:
  // What a sleeper that waits for a completion adds to the count of sleepers.
  static constexpr std::uint64_t kOneWaits = std::uint64_t{1} << 32U;

  struct alignas(kCacheLineBytes) sleeper {
    sleep_gate gate;
    atomic<bool> waits{false};
    atomic<region_id> takes_only{kAnyRegion};
  };

  // Wakes the first sleeper that `may_wake` accepts. A sleeper stores its properties before S1. So
  // a thread that sees it asleep, after P2, also sees these, or the sleeper sees what was
  // published. Checks again after the wake-up, whose exchange acquires the properties stored before
  // this very sleep, which still hold. One woken by mistake looks for work and sleeps again.
  template <class MayWake>
  void wake_first(MayWake may_wake) noexcept {
    // Relaxed: spreads the wake-ups over the workers; any value will do.
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
  alignas(kCacheLineBytes) atomic<std::uint64_t> asleep_{0};  // see kOneWaits
  atomic<std::size_t> next_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
