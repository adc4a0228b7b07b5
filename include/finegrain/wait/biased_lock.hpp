// A lock that costs its usual owner next to nothing, and other threads a heavy fence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Mutual exclusion between one owner, who enters all the time, and deputies, who enter in its
/// place once in a while: two stores and a load for the owner, membarrier for the deputy.
///
/// ## Protocol
///
///     owner                               deputy
///     O1 inside = true                    D1 exchange revoked to true; was it? another's, give up
///     O2 light fence                      D2 heavy fence
///     O3 revoked? then O5, give up        D3 inside? then D5, give up
///     O4 the critical section             D4 the critical section
///     O5 inside = false                   D5 revoked = false
///
/// O3 misses D1, or D3 misses O1, but not both (asymmetric_fence.hpp): never both inside. Both may
/// give up at once; both come again. Among deputies D1 decides. Nobody is fair: who comes again and
/// again gets in once the others stay away, and not for certain before.
///
/// ## Memory order
/// O5 releases and D3 acquires; D5 releases, O3 and D1 acquire: each critical section sees those
/// before. O5 releases after a vain O1, too: D3 may read that store instead of the one before.
class biased_lock {
 public:
  biased_lock() = default;
  biased_lock(const biased_lock&) = delete;
  biased_lock& operator=(const biased_lock&) = delete;

  // ---- the owner ----

  /// False: a deputy is inside or tries to be, and nothing happened.
  bool try_enter() noexcept {
    inside_.store(true, memory_order_relaxed);  // O1; ordered by O2
    if (asymmetric_) [[likely]] {
      asymmetric_fence::light_fence();
    } else {
      asymmetric_fence::full_fence();
    }
    if (revoked_.load(memory_order_acquire)) [[unlikely]] {  // O3, pairs with D5
      leave();
      return false;
    }
    return true;
  }
  /// The same, and false where it would take a fence: without membarrier.
  bool try_enter_without_fence() noexcept { return asymmetric_ && try_enter(); }
  /// Waits for deputies, whose sections are short. But one may have lost its CPU, and there is no
  /// bound to how many come first.
  void enter() noexcept {
    while (!try_enter()) {
      std::this_thread::yield();
    }
  }
  void leave() noexcept { inside_.store(false, memory_order_release); }  // O5, pairs with D3

  // ---- any other thread ----

  /// False: the owner or another deputy is inside or tries to be. Requires a system call of some 10
  /// us.
  bool try_enter_as_deputy() noexcept {
    // D1, pairs with D5. A release is not needed: D2.
    if (revoked_.exchange(true, memory_order_acquire)) {
      return false;
    }
    asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();
    if (inside_.load(memory_order_acquire)) {  // D3, pairs with O5
      leave_as_deputy();
      return false;
    }
    return true;
  }
  void leave_as_deputy() noexcept {
    revoked_.store(false, memory_order_release);  // D5, pairs with O3 and D1
  }

 private:
  bool asymmetric_ = asymmetric_fence::available();
  atomic<bool> inside_{false};
  alignas(kCacheLineBytes) atomic<bool> revoked_{false};
};

/// Stands where the owner has no deputies.
struct no_lock {
  static constexpr bool try_enter() noexcept { return true; }
  static constexpr void enter() noexcept {}
  static constexpr void leave() noexcept {}
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
