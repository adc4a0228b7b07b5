// A lock that costs its usual owner almost nothing, and other threads a heavy fence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Mutual exclusion between one owner, which enters often, and deputies, which rarely enter in its
/// place. Costs the owner two stores and a load, a deputy a membarrier.
///
/// ## Protocol
///
///     owner                               deputy
///     O1 inside = true                    D1 exchange revoked with true; was it true? give up
///     O2 light fence                      D2 heavy fence
///     O3 revoked? then O5, give up        D3 inside? then D5, give up
///     O4 the critical section             D4 the critical section
///     O5 inside = false                   D5 revoked = false
///
/// O3 misses D1, or D3 misses O1, but not both (asymmetric_fence.hpp): the two are never both
/// inside. Both may give up at the same time; both then retry. D1 decides between deputies. The
/// lock is not fair: a thread that keeps retrying gets in once the others stay away, with no
/// guarantee before.
///
/// ## Memory order
/// O5 releases and D3 acquires; D5 releases, O3 and D1 acquire: each critical section sees those
/// before. O5 also releases after a failed O1: D3 may read that store instead of the one before.
class biased_lock {
 public:
  biased_lock() = default;
  biased_lock(const biased_lock&) = delete;
  biased_lock& operator=(const biased_lock&) = delete;

  // ---- the owner ----

  /// False if a deputy is inside or trying to enter; nothing has happened then.
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
  /// The same, and also false if it would take a fence, that is without membarrier.
  bool try_enter_without_fence() noexcept { return asymmetric_ && try_enter(); }
  /// Waits for deputies. Their sections are short, but one may have lost its CPU, and there is no
  /// bound on how many of them enter first.
  void enter() noexcept {
    while (!try_enter()) {
      std::this_thread::yield();
    }
  }
  void leave() noexcept { inside_.store(false, memory_order_release); }  // O5, pairs with D3

  // ---- any other thread ----

  /// False if the owner or another deputy is inside or tries to enter. A system call of some 10 us.
  bool try_enter_as_deputy() noexcept {
    // D1, pairs with D5. No release is needed, because of D2.
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

/// The lock of an owner without deputies.
struct no_lock {
  static constexpr bool try_enter() noexcept { return true; }
  static constexpr void enter() noexcept {}
  static constexpr void leave() noexcept {}
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
