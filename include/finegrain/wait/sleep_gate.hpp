// A gate at which one thread sleeps until another has something for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "finegrain/wait/futex.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Lets one thread, the sleeper, sleep until another, the waker, has published something. No
/// wake-up is lost, and the waker pays only one load of a line that stays in its cache.
///
/// ## States, in one word
///
///     0          the sleeper is awake
///     kAsleep    it sleeps or is about to         (set by the sleeper; cleared by the waker,
///                                                  or by the sleeper if it found work after all)
///     kDozing    beside kAsleep: it wakes by itself, soon, and looks again; the waker may leave it
///                alone
///     kAlert     added permanently if the waker has to do more than that one load
///
/// ## Protocol and races
///
///     waker                              sleeper
///     W1 publish                         S1 word |= kAsleep
///     W2 light fence                     S2 heavy fence
///     W3 word has kAsleep? then          S3 something published? then clear kAsleep, go on
///     W4 clear it, wake the sleeper      S4 sleep while the word still has kAsleep
///
/// * *Lost wake-up*: requires W3 to miss S1 and S3 to miss W1. The two fences exclude this (see
///   asymmetric_fence.hpp).
/// * *Wake before sleep*: W4 falls between S3 and S4. S4 then finds kAsleep cleared and does not
///   sleep: the futex compares the word under its lock.
/// * *Wake of a sleeper that stayed awake*: S3 found work after W3 had seen S1. Both clear the bit;
///   the second clear changes nothing. A waker that is second knows that it woke no thread;
///   otherwise the futex call wakes none.
/// * *Old wake for a new sleep*: W3 saw the bit of an earlier sleep and W4 clears that of a later
///   one. The sleeper then returns, checks for work and retries: `sleep_unless` promises no more.
/// * *A sleeper left alone*: W3 has seen kDozing. The sleeper has not passed S1 of a later sleep in
///   W3's eyes, so S3 of that one, at the latest, sees W1. Until then it looks each time its timer
///   expires.
///
/// Without membarrier, W2 and S2 are full fences. `kAlert` is then set, so that the fence stays out
/// of the path of wakers that do not need it.
///
/// ## Memory order
/// The gate carries no data: what was published has its own release and acquire. So all accesses to
/// the word may be relaxed, except for the order of S1 before S3 and W1 before W3, which the fences
/// provide, and except for what the sleeper says about itself before S1, which W4 or the W3 of
/// `look_at_sleeper` acquires.
class sleep_gate {
 public:
  /// Requires nothing; the first gate in a process asks the system for membarrier. `asymmetric`
  /// false: uses full fences even if membarrier is available.
  explicit sleep_gate(bool asymmetric = asymmetric_fence::available()) noexcept
      : asymmetric_{asymmetric}, word_{asymmetric ? 0 : kAlert} {}

  sleep_gate(const sleep_gate&) = delete;
  sleep_gate& operator=(const sleep_gate&) = delete;

  // ---- waker only ----

  /// W2 and W3: true if `wake_sleeper` has to be called after a publication. One load.
  [[nodiscard]] bool needs_attention() const noexcept {
    asymmetric_fence::light_fence();
    return word_.load(memory_order_relaxed) != 0;  // W3, ordered after W1 by the fence
  }

  /// Wakes the sleeper if it sleeps or is about to, with a system call; true if it did.
  bool wake_sleeper() noexcept {
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();  // W2
    if (!is_asleep()) {
      return false;
    }
    // Sequentially consistent: the standard library's notify checks whether a thread waits, in some
    // implementations with a load that could pass a weaker store. It acquires what S1 releases.
    if ((word_.fetch_and(kAlert, memory_order_seq_cst) & kAsleep) == 0) {
      return false;  // it stayed awake, and checks for work before it sleeps again
    }
    futex::wake_one(word_);
    return true;
  }

  enum class sleeper : std::uint8_t { awake, dozing, asleep };

  /// W2 and W3 for wakers that would rather leave it asleep. A dozing one, unless it stays awake,
  /// looks itself when its timer expires, until it finds work: then `wake_sleeper` may be omitted.
  [[nodiscard]] sleeper look_at_sleeper() const noexcept {
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();  // W2
    // Acquire: what the sleeper said about itself before S1.
    const std::uint32_t word = word_.load(memory_order_acquire);  // W3
    return (word & kDozing) != 0   ? sleeper::dozing
           : (word & kAsleep) != 0 ? sleeper::asleep
                                   : sleeper::awake;
  }

  /// From now on `needs_attention` is always true, as the waker has something else to do then.
  // Relaxed: only the waker, which is the caller, reads this bit.
  void stay_alert() noexcept { word_.fetch_or(kAlert, memory_order_relaxed); }

  // ---- any thread ----

  /// True while the sleeper sleeps or is about to; may be out of date on return.
  [[nodiscard]] bool is_asleep() const noexcept {
    // Relaxed: in wake_sleeper this is W3, which W2 orders; elsewhere it is a guess.
    return (word_.load(memory_order_relaxed) & kAsleep) != 0;
  }

  // ---- sleeper only ----

  /// Sleeps until woken, unless `found_work()` returns true after the announcement. True if it
  /// slept. `found_work` has to look with acquire for everything that the waker may have published.
  template <class FoundWork>
  bool sleep_unless(FoundWork found_work) noexcept {
    if (!announce(kAsleep, found_work)) {
      return false;
    }
    // All relaxed: the bit carries no data; the sleeper looks with acquire for what was published.
    for (std::uint32_t word = word_.load(memory_order_relaxed); (word & kAsleep) != 0;
         word = word_.load(memory_order_relaxed)) {
      futex::sleep(word_, word);
    }
    return true;
  }

  /// Like `sleep_unless`, but not longer than `limit` at a time: then `looks()` decides how long it
  /// may sleep on. When that returns zero, the sleeper is awake. True if it slept.
  template <class FoundWork, class Looks>
  bool doze_unless(FoundWork found_work, std::chrono::nanoseconds limit, Looks looks) noexcept {
    if (!announce(kAsleep | kDozing, found_work)) {
      return false;
    }
    // All relaxed, as above.
    for (std::uint32_t word = word_.load(memory_order_relaxed); (word & kAsleep) != 0;
         word = word_.load(memory_order_relaxed)) {
      futex::sleep_for(word_, word, limit);
      if (is_asleep()) {
        limit = looks();
        if (limit.count() == 0) {
          get_up();
        }
      }
    }
    return true;
  }

  /// For a forked child, whose sleeper stayed in the parent: no thread sleeps here.
  // Relaxed: there is no thread to be ordered with, either.
  void forget_sleeper() noexcept { get_up(); }

 private:
  static constexpr std::uint32_t kAsleep = 1;
  static constexpr std::uint32_t kAlert = 2;
  static constexpr std::uint32_t kDozing = 4;

  // S1 to S3: false if there is work.
  template <class FoundWork>
  bool announce(std::uint32_t how, FoundWork& found_work) noexcept {
    // S1, ordered before S3 by the fence. Release: what kind of sleeper this is, for the threads
    // that have woken it (idle_workers) or leave it alone.
    word_.fetch_or(how, memory_order_release);
    asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();
    if (found_work()) {
      get_up();
      return false;
    }
    return true;
  }

  // Relaxed: if the waker sees it late, that costs a needless wake-up.
  void get_up() noexcept { word_.fetch_and(kAlert, memory_order_relaxed); }

  bool asymmetric_;
  atomic<std::uint32_t> word_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
