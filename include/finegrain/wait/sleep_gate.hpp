// Where one thread sleeps until another one has something for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Lets one thread, the sleeper, sleep until the other one, the waker, has published something, and
/// loses no wake-up, while the waker pays one load of a line that it keeps in its cache.
///
/// ## States, in one word
///
///     0          the sleeper is awake
///     kAsleep    it sleeps, or is about to        (set by the sleeper, cleared by the waker,
///                                                  or by the sleeper that found work after all)
///     kAlert     added for ever where the waker has to do more than that one load
///
/// ## Protocol and races
///
///     waker                              sleeper
///     W1 publish                         S1 word |= kAsleep
///     W2 light fence                     S2 heavy fence
///     W3 word has kAsleep? then          S3 something published? then clear kAsleep, go on
///     W4 clear it, wake the sleeper      S4 sleep while the word still has kAsleep
///
/// * *Lost wake-up*: it needs W3 to miss S1 and S3 to miss W1. The two fences exclude that (see
///   asymmetric_fence.hpp).
/// * *Wake before sleep*: W4 between S3 and S4. Then S4 finds kAsleep gone and does not sleep: the
///   futex compares the word under its lock.
/// * *Wake of one who stayed*: S3 found work and W3 had seen S1. Both clear the bit; the second one
///   changes nothing. A waker that is second knows that it woke nobody; else the futex call wakes
///   nobody.
/// * *Old wake for a new sleep*: W3 saw the bit of an earlier sleep and W4 clears that of a later
///   one. Then the sleeper returns, looks around, and comes again: `sleep_unless` promises no more.
///
/// Without membarrier W2 and S2 are full fences. The waker then has `kAlert` set, so that the fence
/// stays out of the path of those who do not need it.
///
/// ## Memory order
/// The gate carries no data: what was published has its own release and acquire. So all accesses to
/// the word may be relaxed but for the order of S1 before S3 and W1 before W3, which the fences
/// give, and but for what the sleeper says of itself before S1, which W4 acquires.
class sleep_gate {
 public:
  /// Requires nothing; asks the system for membarrier on the first one in the process.
  /// `asymmetric` false: full fences also where membarrier could be had.
  explicit sleep_gate(bool asymmetric = asymmetric_fence::available()) noexcept
      : asymmetric_{asymmetric}, word_{asymmetric ? 0 : kAlert} {}

  sleep_gate(const sleep_gate&) = delete;
  sleep_gate& operator=(const sleep_gate&) = delete;

  // ---- waker only ----

  /// True when `wake_sleeper` has to be called after a publication: W2 and W3. One load.
  [[nodiscard]] bool needs_attention() const noexcept {
    asymmetric_fence::light_fence();
    return word_.load(memory_order_relaxed) != 0;  // W3, ordered behind W1 by the fence
  }

  /// Wakes the sleeper if it sleeps or is about to; true if it did. A system call then.
  bool wake_sleeper() noexcept {
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();  // W2
    if (!is_asleep()) {
      return false;
    }
    // Sequentially consistent: the standard library's notify looks whether anybody waits, and some
    // implementations do so with a load that could pass a weaker store. It acquires what S1
    // releases.
    if ((word_.fetch_and(~kAsleep, memory_order_seq_cst) & kAsleep) == 0) {
      return false;  // it stayed, and looks around before it comes again
    }
    word_.notify_one();
    return true;
  }

  /// From now on `needs_attention` is always true: the waker has something else to do then.
  // Relaxed: nobody but the waker, which is the caller, looks for this bit.
  void stay_alert() noexcept { word_.fetch_or(kAlert, memory_order_relaxed); }

  // ---- any thread ----

  /// True while the sleeper sleeps or is about to; may be out of date when it returns.
  [[nodiscard]] bool is_asleep() const noexcept {
    // Relaxed: in wake_sleeper W3, which W2 orders; elsewhere a guess.
    return (word_.load(memory_order_relaxed) & kAsleep) != 0;
  }

  // ---- sleeper only ----

  /// Sleeps until woken, unless `found_work()` says true after the announcement. True if it slept.
  /// `found_work` has to look with acquire for whatever the waker may have published.
  template <class FoundWork>
  bool sleep_unless(FoundWork found_work) noexcept {
    // S1, ordered ahead of S3 by the fence. Release: what kind of sleeper this is, for those who
    // have woken it (idle_workers).
    word_.fetch_or(kAsleep, memory_order_release);
    asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();
    if (found_work()) {
      word_.fetch_and(~kAsleep, memory_order_relaxed);  // seen late, it costs a needless wake-up
      return false;
    }
    // Relaxed, all: a bit, and no more; what the waker published the sleeper looks for with
    // acquire.
    for (std::uint32_t word = word_.load(memory_order_relaxed); (word & kAsleep) != 0;
         word = word_.load(memory_order_relaxed)) {
      word_.wait(word, memory_order_relaxed);  // relaxed, as the loads: the bit is all
    }
    return true;
  }

  /// In a forked child, whose sleeper stayed in the parent: nobody sleeps here.
  // Relaxed: there is nobody to be ordered with, either.
  void forget_sleeper() noexcept { word_.fetch_and(~kAsleep, memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kAsleep = 1;
  static constexpr std::uint32_t kAlert = 2;

  bool asymmetric_;
  atomic<std::uint32_t> word_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
